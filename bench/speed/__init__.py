"""The cost of a task against the peers' way: python -m bench.speed [PROJECTS.yaml].

    shelf, meter <- project <- cold, suites, screening, tasks, workers <- measure
        <- verdicts <- ratios <- bounds <- report

The peers' way is a copy of the tree and a cold run of the whole suite for each candidate. Both are
measured in one go on one machine, and every verdict is compared with that of the cold run.
"""
