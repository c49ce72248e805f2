"""How passages become a graph at index time."""
