"""The four signals of the strategy `hybrid`, each over all passages at once."""

from multihop.profiles.signals.scoring import Asked, Embedded, Scores, asked, embed, evaluate, warm

__all__ = ["Asked", "Embedded", "Scores", "asked", "embed", "evaluate", "warm"]
