"""The part of an index that is the same in every database: linking, filters, adding, and the view.

A store supplies row operations (see `rows`) and brings its own transactions, locks and search indexes.
"""
