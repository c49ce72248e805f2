"""The values of the engine: frozen, comparable, free of I/O. The loop's words, in the order it uses them."""

from multihop.types.answers import (
    Answer as Answer,
    AnswerSentence as AnswerSentence,
    ClaimPart as ClaimPart,
    Finding as Finding,
    Statement as Statement,
    Verdict as Verdict,
)
from multihop.types.chains import Chain as Chain, ChainLink as ChainLink, Quote as Quote
from multihop.types.channels import Channel as Channel
from multihop.types.conflicts import Conflict as Conflict, ConflictKind as ConflictKind
from multihop.types.corpus import (
    OCR_CONFIDENCE as OCR_CONFIDENCE,
    SCANNED as SCANNED,
    UNREAD as UNREAD,
    Changed as Changed,
    Check as Check,
    Document as Document,
    FileChange as FileChange,
    Link as Link,
    Listed as Listed,
    Mention as Mention,
    Metadata as Metadata,
    Passage as Passage,
    PassagePair as PassagePair,
    Piece as Piece,
    Related as Related,
    Relation as Relation,
    RelationKind as RelationKind,
    Scalar as Scalar,
    SourceFile as SourceFile,
    Stats as Stats,
    Synced as Synced,
    Where as Where,
)
from multihop.types.notes import Note as Note
from multihop.types.plain import native as native, plain as plain
from multihop.types.reading import Judgement as Judgement, Pair as Pair, Reading as Reading, Span as Span
from multihop.types.requests import (
    ANY_DAY as ANY_DAY,
    LONGEST_QUESTION as LONGEST_QUESTION,
    MOST_PASSAGES as MOST_PASSAGES,
    OPTIONS as OPTIONS,
    Option as Option,
    Request as Request,
    RequestOptions as RequestOptions,
    StrategyLike as StrategyLike,
)
from multihop.types.results import (
    Evidence as Evidence,
    Found as Found,
    Hop as Hop,
    LmCall as LmCall,
    Result as Result,
    TopHit as TopHit,
    Trace as Trace,
)
from multihop.types.rights import ALLOW as ALLOW, GROUP as GROUP, Rights as Rights
from multihop.types.steps import (
    CORE as CORE,
    Aspect as Aspect,
    Candidate as Candidate,
    Choice as Choice,
    Coverage as Coverage,
    Decision as Decision,
    Entity as Entity,
    Hit as Hit,
    Plan as Plan,
    Query as Query,
    Reason as Reason,
    Replacement as Replacement,
    Selection as Selection,
    Target as Target,
    Walk as Walk,
)
