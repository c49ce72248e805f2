"""Answers from evidence: the chain that leads to them, the sentences that say them, and how sure that is."""
