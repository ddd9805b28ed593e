"""Calibration and selection on a simulated learner: python -m bench.selection DATASET.

world       tasks like those of a dataset, their true hardness, and a learner that improves
training    batches by select, and batches drawn evenly: which solve rate they have
accuracy    how far posteriors are from the truth, beside the score alone
million     what select takes on a million tasks
"""
