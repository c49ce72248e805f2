"""Contract suites, one per protocol: what every implementation of it must do.

A new implementation inherits the suite in its own tests and supplies the fixtures that the suite asks for; the ones
that need no thought, such as `store_factory`, come with `multihop.testing.fixtures`:

    class TestMySearcher(SearcherContract):
        @pytest.fixture
        def searcher(self):
            return MySearcher()
"""

from multihop.testing.contracts.assessor import AssessorContract
from multihop.testing.contracts.corpus import HashEmbedder, StoreFactory, divided, fill, found, links, near
from multihop.testing.contracts.embedder import EmbedderContract
from multihop.testing.contracts.language_model import LanguageModelContract
from multihop.testing.contracts.linker import LinkerContract
from multihop.testing.contracts.planner import PlannerContract
from multihop.testing.contracts.query_writer import QueryWriterContract
from multihop.testing.contracts.relation_judge import RelationJudgeContract
from multihop.testing.contracts.searcher import SearcherContract
from multihop.testing.contracts.selector import SelectorContract
from multihop.testing.contracts.stop import StopRuleContract
from multihop.testing.contracts.store import StoreContract
from multihop.testing.contracts.walker import WalkerContract

__all__ = [
    "AssessorContract",
    "EmbedderContract",
    "HashEmbedder",
    "LanguageModelContract",
    "LinkerContract",
    "PlannerContract",
    "QueryWriterContract",
    "RelationJudgeContract",
    "SearcherContract",
    "SelectorContract",
    "StopRuleContract",
    "StoreContract",
    "StoreFactory",
    "WalkerContract",
    "divided",
    "fill",
    "found",
    "links",
    "near",
]
