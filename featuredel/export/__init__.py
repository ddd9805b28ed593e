"""Datasets in the forms that others read.

prompts    a Parquet file for TRL and VeRL; context: what of a tree a prompt shows
swebench   rows of SWE-bench; eval_script: the script in each
harbor/    task directories of Harbor; slices: the dataset of one task in each
"""
