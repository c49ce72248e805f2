"""Contract suites, one per protocol: what every implementation of it must do.

A new implementation inherits the suite in its own tests and supplies the fixtures that the suite asks for; the ones
that need no thought, such as `store_factory`, come with `multihop.testing.fixtures`:

    class TestMySearcher(SearcherContract):
        @pytest.fixture
        def searcher(self):
            return MySearcher()
"""

from multihop.testing.contracts.assessor import AssessorContract as AssessorContract
from multihop.testing.contracts.corpus import (
    HashEmbedder as HashEmbedder,
    StoreFactory as StoreFactory,
    divide_each as divide_each,
    fill as fill,
    found as found,
    links as links,
    near as near,
)
from multihop.testing.contracts.embedder import EmbedderContract as EmbedderContract
from multihop.testing.contracts.language_model import LanguageModelContract as LanguageModelContract
from multihop.testing.contracts.linker import LinkerContract as LinkerContract
from multihop.testing.contracts.planner import PlannerContract as PlannerContract
from multihop.testing.contracts.query_writer import QueryWriterContract as QueryWriterContract
from multihop.testing.contracts.reader import ReaderContract as ReaderContract
from multihop.testing.contracts.relation_judge import RelationJudgeContract as RelationJudgeContract
from multihop.testing.contracts.reranker import RerankerContract as RerankerContract
from multihop.testing.contracts.searcher import SearcherContract as SearcherContract
from multihop.testing.contracts.selector import SelectorContract as SelectorContract
from multihop.testing.contracts.stop import StopRuleContract as StopRuleContract
from multihop.testing.contracts.store import StoreContract as StoreContract
from multihop.testing.contracts.verifier import VerifierContract as VerifierContract
from multihop.testing.contracts.walker import WalkerContract as WalkerContract
