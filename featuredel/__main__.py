"""`python -m featuredel` is the command line."""

from featuredel.cli import main

main()
