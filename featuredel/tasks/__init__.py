"""Using a task: read it from a dataset, lay out the solver's tree, grade what the solver did.

read <- materialize, grade
"""
