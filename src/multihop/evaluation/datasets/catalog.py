"""The datasets known by name: what they are, in which folders they lie, and where their authors publish them.

Addresses are those of the authors' own pages: hover-nlp.github.io, github.com/dependentsign/EX-FEVER (at the commit
that holds the tables), hotpotqa.github.io, github.com/Alab-NII/2wikimultihop, github.com/StonyBrookNLP/musique
(download_data.sh), fever.ai, huggingface.co/datasets/xlangai/BRIGHT, github.com/yixuantt/MultiHop-RAG,
huggingface.co/datasets/google/frames-benchmark, github.com/zhudotexe/fanoutqa, github.com/snap-research/locomo,
github.com/xiaowu0162/LongMemEval (its files at huggingface.co/datasets/xiaowu0162/longmemeval-cleaned),
huggingface.co/datasets/osunlp/HippoRAG_2 and github.com/beir-cellar/beir. Of these only BEIR publishes checksums (MD5,
in its table of datasets).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from multihop.evaluation.datasets.dataset import Dataset
from multihop.registry import Registry


@dataclass(frozen=True, slots=True)
class Remote:
    """A file to download: its address and the name it gets; an archive is unpacked beside itself."""

    address: str
    name: str
    md5: str = ""
    unpack: bool = False


@dataclass(frozen=True, slots=True)
class KnownDataset:
    """A dataset that is known by name: what it is, and where it comes from."""

    description: str
    remotes: tuple[Remote, ...] = ()
    """Its files at their official addresses."""
    folders: tuple[str, ...] = ()
    """The folders in which it may lie, when not only in one of its own name."""
    read: Callable[[str], Dataset] | None = None
    """Reads a split of a dataset that comes with its package instead of in files; see `dataset_of`."""


DATASETS: Registry[KnownDataset] = Registry("multihop.datasets", KnownDataset)
"""The datasets that are known by name; any folder in one of their formats can be loaded by its path."""

_HOVER = "https://raw.githubusercontent.com/hover-nlp/hover/main/data/hover"
_EXFEVER = "https://raw.githubusercontent.com/dependentsign/EX-FEVER/f343e9052075284fc99337990f87405517071a70/data"
_HOTPOT = "http://curtis.ml.cmu.edu/datasets/hotpot"
_HIPPORAG = "https://huggingface.co/datasets/osunlp/HippoRAG_2/resolve/main"
_ABSTRACTS = "enwiki-20171001-pages-meta-current-withlinks-abstracts.tar.bz2"


BRIGHT_TASKS = (
    "biology", "earth_science", "economics", "psychology", "robotics", "stackoverflow", "sustainable_living",
    "leetcode", "pony", "aops", "theoremqa_questions", "theoremqa_theorems",
)  # fmt: skip
_BRIGHT = "https://huggingface.co/datasets/xlangai/BRIGHT/resolve/main"


def _plain(base: str, *names: str) -> tuple[Remote, ...]:
    return tuple(Remote(f"{base}/{name}", name) for name in names)


_MUSIQUE = (
    Remote(
        "https://drive.usercontent.google.com/download?id=1tGdADlNjWFaHLeZZGShh2IRcpO6Lv24h&export=download&confirm=t",
        "musique_v1.0.zip",
        unpack=True,
    ),
)

HOVER = KnownDataset(
    "HoVer: claims to verify over 2, 3 or 4 Wikipedia articles",
    (
        *_plain(_HOVER, "hover_train_release_v1.1.json", "hover_dev_release_v1.1.json"),
        *_plain("https://nlp.cs.unc.edu/data/hover", "wiki_wo_links.db"),
    ),
)

EXFEVER = KnownDataset(
    "EX-FEVER: claims to verify over 2 or 3 articles, with explanations; asks of the corpus of HoVer",
    _plain(_EXFEVER, "test.csv", "mini_test.csv"),
    folders=("exfever", "ex-fever", "EX-FEVER"),
)

HOTPOTQA = KnownDataset(
    "HotpotQA, distractor setting: questions over 2 paragraphs among those of all questions",
    _plain(_HOTPOT, "hotpot_train_v1.1.json", "hotpot_dev_distractor_v1.json"),
    folders=("hotpotqa", "hotpot"),
)

HOTPOTQA_FULLWIKI = KnownDataset(
    "HotpotQA, full-wiki setting: the same questions over the abstracts of Wikipedia",
    (
        *_plain(_HOTPOT, "hotpot_train_v1.1.json", "hotpot_dev_fullwiki_v1.json"),
        *_plain("https://nlp.stanford.edu/projects/hotpotqa", _ABSTRACTS),
    ),
    folders=("hotpotqa-fullwiki", "hotpotqa", "hotpot"),
)

TWO_WIKI = KnownDataset(
    "2WikiMultiHopQA: questions over 2 or 4 paragraphs",
    (Remote("https://www.dropbox.com/s/ms2m13252h6xubs/data_ids_april7.zip?dl=1", "data_ids_april7.zip", unpack=True),),
    folders=("2wiki", "2wikimultihopqa", "2WikiMultihopQA"),
)

MUSIQUE = KnownDataset(
    "MuSiQue: questions over 2, 3 or 4 paragraphs, hard to shortcut",
    _MUSIQUE,
)

MUSIQUE_FULL = KnownDataset(
    "MuSiQue with a twin without an answer for every question; the twins are left out",
    _MUSIQUE,
    folders=("musique-full", "musique"),
)

FEVER = KnownDataset(
    "FEVER: claims to verify over articles of Wikipedia, most of them over one",
    (
        *_plain("https://fever.ai/download/fever", "train.jsonl", "shared_task_dev.jsonl"),
        Remote("https://fever.ai/download/fever/wiki-pages.zip", "wiki-pages.zip", unpack=True),
    ),
)

BRIGHT = KnownDataset(
    "BRIGHT: questions whose documents share an idea with them, not words; a split is a task such as biology",
    tuple(
        Remote(f"{_BRIGHT}/{part}/{task}-00000-of-00001.parquet", f"{part}/{task}-00000-of-00001.parquet")
        for task in BRIGHT_TASKS
        for part in ("examples", "documents")
    ),
    folders=("bright", "BRIGHT"),
)

MULTIHOP_RAG = KnownDataset(
    "MultiHop-RAG: queries over 2 to 4 news articles",
    _plain("https://raw.githubusercontent.com/yixuantt/MultiHop-RAG/main/dataset", "MultiHopRAG.json", "corpus.json"),
    folders=("multihop-rag", "MultiHopRAG", "MultiHop-RAG"),
)

FRAMES = KnownDataset(
    "FRAMES: questions over 2 to 15 articles of Wikipedia, which are not part of it",
    _plain("https://huggingface.co/datasets/google/frames-benchmark/resolve/main", "test.tsv"),
    folders=("frames", "frames-benchmark"),
)

FANOUTQA = KnownDataset(
    "FanOutQA: questions that fan out over many articles of Wikipedia, which are not part of it",
    (
        *_plain("https://raw.githubusercontent.com/zhudotexe/fanoutqa/main/fanoutqa/data", "fanout-final-dev.json"),
        *_plain("https://raw.githubusercontent.com/zhudotexe/fanoutqa/main/data", "fanout-final-test.json"),
    ),
)

LOCOMO = KnownDataset(
    "LoCoMo: questions about ten long conversations, turn by turn",
    _plain("https://raw.githubusercontent.com/snap-research/locomo/main/data", "locomo10.json"),
)

LONGMEMEVAL = KnownDataset(
    "LongMemEval: questions about long chat histories of a user with an assistant, turn by turn",
    _plain(
        "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/main",
        "longmemeval_oracle.json",
        "longmemeval_s_cleaned.json",
    ),
)

HIPPORAG_HOTPOTQA = KnownDataset(
    "1,000 questions of HotpotQA and their corpus, as HippoRAG measures them",
    _plain(_HIPPORAG, "hotpotqa.json", "hotpotqa_corpus.json"),
)

HIPPORAG_2WIKI = KnownDataset(
    "1,000 questions of 2WikiMultiHopQA and their corpus, as HippoRAG measures them",
    _plain(_HIPPORAG, "2wikimultihopqa.json", "2wikimultihopqa_corpus.json"),
)

HIPPORAG_MUSIQUE = KnownDataset(
    "1,000 questions of MuSiQue and their corpus, as HippoRAG measures them",
    _plain(_HIPPORAG, "musique.json", "musique_corpus.json"),
)

BEIR_HOTPOTQA = KnownDataset(
    "HotpotQA as BEIR has it: 7,405 test questions over 5.2 million abstracts",
    (
        Remote(
            "https://public.ukp.informatik.tu-darmstadt.de/thakur/BEIR/datasets/hotpotqa.zip",
            "hotpotqa.zip",
            md5="f412724f78b0d91183a0e86805e16114",
            unpack=True,
        ),
    ),
)
