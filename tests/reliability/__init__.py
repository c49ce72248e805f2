"""Promises of docs/reliability.md: what hostile or unlucky circumstances must not do, in a form short enough for CI."""
