"""Adapters: the engine as a part of other frameworks, one file and one extra each.

Each is a thin shell over `Engine.retrieve`; importing one without its framework raises `MissingExtra`.
"""
