"""Many jobs at once: the one home of dask.

cluster <- dataset (repositories become tasks), batch (predictions become rewards)
"""
