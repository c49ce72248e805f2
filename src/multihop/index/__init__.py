"""The index: readers, links, embedders, the stores, and copying from one to another."""
