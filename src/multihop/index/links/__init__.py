"""Links between passages: mentions of names, and typed relations, found when documents are indexed."""
