"""Whether a deleted feature survives anywhere in what a solver gets, and how that is proved.

A *needle* is a piece of the deleted text that nobody could know who has not seen it: a name, a
literal, a sentence, ten tokens in a row. A *view* is what a program that knows a format reads out
of a file: the members of an archive, the objects of a git directory, the names in a compiled
module. A *finding* is a needle seen in a view, a path that must not be there, a file that nothing
explains, or one that cannot be looked into.

Most of what a solver gets is the same for all tasks of a repository: the interpreter, the
environment, the part of the machine that the sandbox shows. That is the *base*, which is read once
and remembered by its hash. What a task adds, its tree and its statement, is the *delta*, which is
scanned for each task.
"""
