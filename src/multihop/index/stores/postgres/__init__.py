"""An index on a PostgreSQL server with pgvector, for corpora that are shared or outgrow one machine."""
