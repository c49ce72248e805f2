"""The parts of the loop, one room for each protocol: what a strategy is put together from."""
