"""What a step does: its calls taken apart until nothing is wrapped in anything.

records.py    Program, Touch, Reach, Use, Source
session.py    what outlives a step: folder, variables, files that were written
unwrap.py     env, sudo, timeout, xargs, bash -c ... -> the command inside
effects.py    which files a command reads and writes
output.py     what a command prints, where that can be told
code.py       Python that is run: calls, files, hosts, commands inside
step.py       acts_of(step, session)
"""
