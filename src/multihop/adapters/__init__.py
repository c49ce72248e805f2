"""Adapters for other frameworks, one file and one extra each.

Each is a thin wrapper over `Engine.retrieve`; importing one without its framework raises `MissingExtra`.
"""
