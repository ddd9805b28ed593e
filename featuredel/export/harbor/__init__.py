"""Harbor: a task directory a task, and a dataset.toml over them.

settings    task.toml and dataset.toml
images      the Dockerfiles, of the agent's environment and of the verifier
write       the directories
files/      the scripts of every task, as they are
"""
