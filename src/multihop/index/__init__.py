"""What an index is made of: readers, links, embedders, the stores that hold it, and where it is."""
