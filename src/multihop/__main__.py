"""`python -m multihop` is the command line."""

from multihop.cli import main

main()
