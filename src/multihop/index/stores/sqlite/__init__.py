"""The embedded store: SQLite as the truth, with search indexes beside it."""
