"""The embedded store: a SQLite database with search indexes beside it."""
