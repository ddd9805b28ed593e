"""featuredel's sandbox as an environment of Harbor.

environment   what Harbor calls: `harbor run -e featuredel_harbor.environment:Bubblewrap`
place         the directories that stand for the file system of one environment
once          a process for one command, so that it can be ended
grading       what `featuredel` is in the verifier's environment
"""
