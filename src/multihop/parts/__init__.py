"""The parts of the loop, that strategies are made of: one folder for each protocol."""
