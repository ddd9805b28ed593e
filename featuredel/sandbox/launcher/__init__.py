"""The first processes of a sandbox: a program of its own, started by `bubblewrap.py` for each run.

It needs the standard library only and is put on the path as the package `launcher`, without the
rest of featuredel. Modules that take milliseconds to import (typing, json, signal, subprocess,
pathlib, shutil) stay out: every run pays for its start.

    start     the outer process: enters the namespaces, waits, cleans up
    plain     the same without a sandbox
    as_user   the same as another user of a container
    first     process 1 of the namespace: runs bubblewrap, watches it, ends everything
    watch     when to end, and how
    mounts    the private file systems
    trees     copies
    contained process 1 of a container, which gets this package through a pipe
    pack      trees as a stream
    become    the last steps before the command
"""
