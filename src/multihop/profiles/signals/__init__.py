"""The four signals of the strategy `hybrid`, each over all passages at once."""

from multihop.profiles.signals.scoring import SIGNALS, Asked, Embedded, Scores, asked, embed, evaluate

__all__ = ["SIGNALS", "Asked", "Embedded", "Scores", "asked", "embed", "evaluate"]
