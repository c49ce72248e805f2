"""Measuring: datasets, measures, runs, comparison, report."""
