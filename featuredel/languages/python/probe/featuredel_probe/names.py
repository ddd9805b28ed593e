"""The words that the probe and its host share: variables, labels and records.

The report is one JSON list a line, its first item the kind:

    ["collecting", path]                       a test module is about to be imported
    ["unimportable", path, reason]             a test module, or a conftest, could not be
    ["items", [id, ...]]                       the tests that will run, numbered in this order
    ["start", test, time_s]                    a test begins
    ["test", test, outcome, duration_s, reason]
    ["sets", [[file, first line, hex], ...]]   sets of lines, numbered in this order; the number's
                                               bit i is line `first line + i`; a file is a path
                                               where it is new, afterwards its number
    ["lines", [label, ...], [set, ...]]        who executed which sets
    ["uses", test, [fixture, ...]]             the shared fixtures that a test depends on
    ["end", why]                               "" or what cut the run short

A label is a test's number, "f<number>" of a fixture that tests share, "m<path>" for all tests of a
test module, or "i" for code that runs at import.
"""

WORKSPACE = "/workspace/"
MODE = "FEATUREDEL_PROBE"  # variable: "lines" or "plain"
CHILDREN = "FEATUREDEL_CHILDREN"  # variable: the folder where child interpreters leave their lines
CODE = "FEATUREDEL_CODE"  # variable: the file with what was compiled of the tree beforehand
LABEL = "FEATUREDEL_TEST"  # variable: the label that a child's lines belong to
REPORT_FD = 3
IMPORTED = "i"
