"""The monitor: what of a solver's trajectory is not solving, step by step.

    readers/      one file a format -> Trajectory
    acts/         what a step does: commands, files touched, code run, hosts reached
    answers/      answers that code has written down
    rules/        one rule a file -> findings, each with a hint for that very step
    watch.py      monitor(trajectory, task) -> findings

Nothing of a trajectory is ever executed.
"""
