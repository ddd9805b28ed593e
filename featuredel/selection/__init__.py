"""Which tasks a learner should be given: difficulty from outcomes, and batches near a solve rate.

    pool        the tasks of a dataset as arrays
    outcomes    attempts and counts in files -> counts by task and register
    posterior   counts and the score's columns -> a Beta distribution of each solve rate
    calibrate   posteriors -> difficulty and tier in the dataset, and its table `calibration`
    choose      posteriors and a band -> a batch
    harder      for tasks that have become too easy: harder ones that hold them
    select      all that `featuredel select` does

It needs numpy and scipy: `pip install featuredel[calibrate]`. Arrays have a row for each task
and, where they are of solve rates, a column for each register, in the order of `REGISTERS`.
"""
