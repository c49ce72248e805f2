"""The four signals of the strategy `hybrid`, each over all passages at once."""

from multihop.profiles.signals.scoring import Embedded, Scores, SignalQuestion, asked, embed, evaluate, warm

__all__ = ["Embedded", "Scores", "SignalQuestion", "asked", "embed", "evaluate", "warm"]
