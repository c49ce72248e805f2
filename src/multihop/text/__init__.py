"""Words, names and sentences: pure functions from text to text, shared by every part.

One analysis serves the lexical index, the mention links and the rules, so that a word means the same
thing everywhere: `words` folds (case, diacritics, possessives), `terms` also stems for lexical search.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, pairwise
from typing import TypeVar

import Stemmer

V = TypeVar("V")
STOPWORDS = frozenset(
    """a about after all also an and any are as at be because been before being between both but by can could did do
    does during each for from had has have he her him his how i if in into is it its itself me more most my no nor not
    of off on once only or other our out over own same she should so some such than that the their them then there
    these they this those through to too under until up very was we were what when where which while who whom whose
    why will with would you your""".split()
)

# Letters that Unicode does not decompose into a base letter and a mark, and the other shapes of the apostrophe.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th", "ð": "d",
     "’": "'", "‘": "'", "ʼ": "'", "＇": "'"}
)  # fmt: skip
_NEEDS_LETTERS = re.compile("[øłđæœıþð’‘ʼ＇]")
_MARKS = re.compile(  # and what takes no room inside a word: soft hyphens, joiners, variation selectors
    "[\u00ad\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]+"
)
# Vowel signs and the like of Indic and other Asian scripts, which Python does not count among the letters of a word.
_SIGNS = "".join(
    chr(i) for i in (*range(0x0900, 0x1E00), *range(0xA800, 0xAC00)) if unicodedata.category(chr(i)) in ("Mn", "Mc")
)
# Scripts written without spaces are cut into single characters, with their signs; Chinese and Japanese, then Thai, Lao,
# Burmese and Khmer. Everything else is cut into runs of letters and digits.
_HAN = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_SYLLABLES = "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u1000-\u102a\u1780-\u17b3"
_UNSPACED = re.compile(f"([{_HAN}]|[{_SYLLABLES}][{_SIGNS}]*)")
_LAST_UNSPACED = re.compile(f"{_UNSPACED.pattern}$")
_RUN = rf"[^\W_]+(?:[{_SIGNS}]+[^\W_]*)*"
_WORD = re.compile(f"{_RUN}(?:'{_RUN})*")
_MARKS_OF_PRINT = (("–", " "), ("—", " "), ("’", "'"), ("“", " "), ("”", " "), ("\u00a0", " "))
# Signs behind a word that Unicode takes apart into letters: "Kindle™" would become the word "kindletm".
_TRADE_SIGNS = {ord(sign): f" {sign}" for sign in "™℠"}
# Plain English text needs no regular expression: everything but letters, digits and the apostrophe becomes a blank.
_ASCII = "".join(chr(i).lower() if chr(i).isalnum() or chr(i) == "'" else " " for i in range(128))
_PARENTHESES = re.compile(r"\s*[(\[（][^()\[\]（）]*[)\]）]\s*")
# It begins with the marks themselves: a search for one of them is what makes this fast.
_SENTENCE_END = re.compile(r"[.!?…।॥؟۔。！？](?:(?<=[。！？])|[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[^\W_a-z]))")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Gen|Col|Lt|Sgt|Rev|Hon|No|vs|etc|cf|al|e\.g|i\.e|approx|ca|Inc|Ltd|Co|Corp|Mt|Ft)|\b[A-Za-z]\.[A-Za-z])\.$"
)

_LONGEST_TITLE = 20
_CASED_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*\.?")
_JOINING = frozenset("of the de la du des von van der den al el di da le y".split())
ASKING = frozenset(
    """who what which when where why how whose whom is are was were did does do has have had can in on at the a an both
    either name compare explain describe list give tell if although during after before""".split()
)
"""Words that begin a question or a sentence without being part of a name."""
_QUESTION_WORDS = frozenset("who whom whose what which where when why how".split())
QUESTION_MARKS = ("?", "？", "؟")
_SAME_BEGINNING = 8


def fold(text: str) -> str:
    """Lower-case `text` and drop diacritics, so that "Orléans" and "ORLEANS" compare equal."""
    if text.isascii():
        return text.lower()
    tokens = text.split(" ")
    odd = [token for token in tokens if not token.isascii()]
    if 2 * len(odd) > len(tokens):
        return _fold(text)
    # A few foreign names in plain text: only they are folded.
    return " ".join([token.lower() if token.isascii() else _fold(token) for token in tokens])


def _fold(text: str) -> str:
    if "™" in text or "℠" in text:
        text = text.translate(_TRADE_SIGNS)
    folded = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    if folded.isascii():
        return folded.lower()
    # What was dropped may have stood between marks that stay: they are brought into their one order again.
    folded = unicodedata.normalize("NFKD", folded.casefold())
    return folded.translate(_LETTERS) if _NEEDS_LETTERS.search(folded) else folded


def words(text: str) -> list[str]:
    """Cut `text` into folded words; possessive endings go, hyphens and punctuation separate."""
    text = _plainer(text)
    if text.isascii():
        return _ascii_words(text)
    tokens = text.split()
    odd = [t for t in tokens if not t.isascii()]
    if 2 * len(odd) > len(tokens):
        return _any_words(fold(text))
    # A few foreign names in plain text: only they are folded, and only what is not ASCII then is cut the long way.
    folded = iter(fold("\n".join(odd)).split("\n"))
    tokens = [t if t.isascii() else next(folded) for t in tokens]
    if (plain := " ".join(tokens)).isascii():
        return _ascii_words(plain)
    parts: list[str] = []
    for plain_ascii, run in groupby(tokens, str.isascii):
        parts += (_ascii_words if plain_ascii else _any_words)(" ".join(run))
    return parts


def _plainer(text: str) -> str:
    """Make most texts plain ASCII that differ from it by a dash or a quotation mark only."""
    if not text.isascii():
        for mark, plain in _MARKS_OF_PRINT:
            text = text.replace(mark, plain)
    return text


def _ascii_words(text: str) -> list[str]:
    if "'" not in text:
        return text.translate(_ASCII).split()
    split = text.replace("''", " ").translate(_ASCII).split()
    return [bare for word in split if (bare := _bare(word) if "'" in word else word)]


def words_within(text: str, spans: Iterable[tuple[int, int]]) -> list[list[str]]:
    """Cut parts of a text into words, each as `words` cuts it."""
    plain = _plainer(text)
    if not plain.isascii():
        return [words(text[start:end]) for start, end in spans]
    cut = plain.translate(_ASCII)
    if "'" not in cut:
        return [cut[start:end].split() for start, end in spans]
    return [_ascii_words(plain[start:end]) for start, end in spans]


def _any_words(text: str) -> list[str]:
    if text.isascii():
        return _ascii_words(text)
    split = _WORD.findall(_UNSPACED.sub(r" \1 ", text))
    return [_bare(word) if "'" in word else word for word in split] if "'" in text else split


def _bare(word: str) -> str:
    return word.strip("'").removesuffix("'s").replace("'", "")


class WordCache(dict[str, V]):
    """A function of words that works each word of a corpus out once.

    Questions bring new words for as long as a process lives, and a word may be as long as a question: what is held
    stays within some 20 MB.
    """

    MOST = 2**17
    LONGEST = 64

    def __init__(self, work: Callable[[str], V]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, word: str) -> V:
        value = self._work(word)
        if len(word) <= self.LONGEST:
            if len(self) >= self.MOST:
                self.clear()
            self[word] = value
        return value


_stem_of = WordCache(Stemmer.Stemmer("english", 0).stemWord).__getitem__  # 0: no second memory behind ours


def stems(folded: Iterable[str]) -> list[str]:
    """Reduce folded words to their stems (Snowball English), in order."""
    return list(map(_stem_of, folded))


def terms(text: str) -> list[str]:
    """Stemmed words of a text without stopwords; when nothing else is left, the stopwords themselves."""
    folded = words(text)
    return stems([w for w in folded if w not in STOPWORDS] or folded)


def passage_words(title: str, heading: str, body: str) -> list[str]:
    """Words of a passage as it is indexed; a title of nothing but stopwords is one more of them, as a whole."""
    folded = words(f"{title}. {heading}. {body}")
    if title and folded and folded[0] in STOPWORDS:
        named = words(without_parentheses(title))
        if named and STOPWORDS.issuperset(named):
            folded.append(_whole_title(named))
    return folded


@lru_cache(maxsize=64)
def query_terms(query: str) -> tuple[str, ...]:
    """Terms to search passages by: those of the query or, when it is nothing but stopwords, the titles it may name.

    Stopwords themselves stand everywhere and tell nothing; "Who is The Who?" means a title. The longer, the better.
    """
    folded = words(query)
    if not STOPWORDS.issuperset(folded):
        return tuple(terms(query))
    folded = folded[:_LONGEST_TITLE]
    runs = (folded[i:j] for i in range(len(folded)) for j in range(i + 1, len(folded) + 1))
    return tuple(stems(_whole_title(run) for run in runs for _ in run))


def _whole_title(named: Sequence[str]) -> str:
    return "_" + "_".join(named)  # no word holds this sign


def surface_key(text: str) -> str:
    """Fold a name to the form under which its mentions are looked up: "The Who's" → "the who"."""
    return " ".join(words(text))


def without_parentheses(title: str) -> str:
    """Drop a disambiguating suffix: "Mercury (planet)" → "Mercury"."""
    return (_PARENTHESES.sub(" ", title) if "(" in title or "[" in title or "（" in title else title).strip()


def is_name(key: str) -> bool:
    """Return whether a surface key is distinctive enough to be looked for in running text.

    A single Latin letter, a number below 1000 or nothing but stopwords would match everywhere.
    """
    parts = key.split(" ")
    if len(parts) == 1 and (not key or (len(key) == 1 and key.isascii()) or (key.isdigit() and len(key) < 4)):
        return False
    return any(p not in STOPWORDS for p in parts)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of a text begin and end, keeping abbreviations and initials whole."""
    result: list[tuple[int, int]] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        mark = match.start() + 1
        if _ABBREVIATION.search(text, max(start, mark - 12), mark):
            continue
        result.append((start, match.end()))
        start = match.end()
    result.append((start, len(text)))
    return [trimmed for span in result if (trimmed := _trim(text, *span))[0] < trimmed[1]]


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def sentences(text: str) -> list[str]:
    """Cut `text` into sentences, as `sentence_spans` finds them."""
    return [text[start:end] for start, end in sentence_spans(text)]


def contains(haystack: Sequence[str], needle: Sequence[str]) -> bool:
    """Return whether the words of `needle` stand next to each other in `haystack`."""
    n = len(needle)
    if n == 0:
        return False
    first = needle[0]
    return any(w == first and list(haystack[i : i + n]) == list(needle) for i, w in enumerate(haystack))


def asks(source: str) -> bool:
    """Return whether a text is a question: it ends with a question mark or begins with a question word."""
    return source.rstrip().endswith(QUESTION_MARKS) or not _QUESTION_WORDS.isdisjoint(words(source)[:1])


def only_asks(source: str, question: str) -> bool:
    """Return whether a text is nothing but the question, once or many times over: it answers nothing.

    A statement never is, though it may have the words of a claim, or of a question that is answered by yes.
    """
    asks = source.rstrip().endswith(QUESTION_MARKS)
    # Most texts are told apart by this alone.
    if not asks and source[:_SAME_BEGINNING].lower() != question[:_SAME_BEGINNING].lower():
        return False
    asked, said = words(question), words(source)
    # A claim may hold "who" as well ("the architect who drew her"), and whoever says the same supports it.
    if not asks and (_QUESTION_WORDS.isdisjoint(asked) or not question.rstrip().endswith(QUESTION_MARKS)):
        return False
    wanted, held = set(pairwise(asked)), set(pairwise(said))
    # One word more or less, and the seam between two repetitions.
    return len(held - wanted) <= 1 + len(wanted) // 10 and len(wanted - held) <= len(wanted) // 4


def join_words(words: Iterable[str]) -> str:
    """Put words behind each other with blanks, but none between characters of scripts that are written without."""
    said = ""
    for word in words:
        close = not said or (_UNSPACED.fullmatch(word) and _LAST_UNSPACED.search(said))
        said += word if close else f" {word}"
    return said


@lru_cache(maxsize=64)
def located_words(source: str) -> tuple[tuple[str, int, int], ...]:
    """Return the folded words of a short text, as `words` does, with their positions."""
    if source.isascii():
        return tuple([(_bare(m.group()), m.start(), m.end()) for m in _WORD.finditer(source.lower())])
    folded: list[str] = []
    places: list[tuple[int, int]] = []
    for start, end in _clusters(source):
        character = source[start:end]
        part = character.lower() if character.isascii() else _UNSPACED.sub(r" \1 ", fold(character))
        folded.append(part)
        places += [(start, end)] * len(part)
    matches = _WORD.finditer("".join(folded))
    return tuple([(_bare(m.group()), places[m.start()][0], places[m.end() - 1][1]) for m in matches])


def _clusters(source: str) -> Iterator[tuple[int, int]]:
    """Cut a text into the shortest pieces that fold the same alone as together: characters with their marks."""
    start = 0
    for place, character in enumerate(source):
        # What folding drops may stand between two marks of one letter, which then take their common order.
        if place > start and (character.isascii() or not _is_mark(unicodedata.normalize("NFKD", character)[0])):
            yield start, place
            start = place
    if source:
        yield start, len(source)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character)[0] == "M" or bool(_MARKS.match(character))


@lru_cache(maxsize=64)
def capitalized_spans(source: str) -> tuple[tuple[str, int, int], ...]:
    """Find runs of capitalized words, with joining words such as "of" inside but not at the ends."""
    spans: list[tuple[str, int, int]] = []
    run: list[re.Match[str]] = []
    sentence_starts = {0, *(m.end() for m in re.finditer(r"[.!?]\s+", source))}

    def close() -> None:
        while run and run[-1].group().casefold() in _JOINING:
            run.pop()
        while run and run[0].start() in sentence_starts and run[0].group().casefold() in ASKING | STOPWORDS:
            run.pop(0)
        while run and run[0].group().casefold() in _JOINING and run[0].group().islower():
            run.pop(0)
        if run:
            start, end = run[0].start(), run[-1].end()
            surface = source[start:end].rstrip(".")
            if is_name(surface_key(surface)):
                spans.append((surface, start, end))
        run.clear()

    previous_end = 0
    for match in _CASED_WORD.finditer(source):
        gap = source[previous_end : match.start()]
        if run and gap.strip():
            close()
        word = match.group()
        if word[0].isupper() or (run and word.casefold() in _JOINING):
            run.append(match)
        else:
            close()
        previous_end = match.end()
    close()
    return tuple(spans)


def singular(word: str) -> str:
    """Undo an English plural, roughly ("entities" → "entity", "boxes" → "boxe"): enough to compare two texts."""
    if len(word) > 3 and word.endswith("s") and word[-2] not in "sui":
        return word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    return word


_singular_of = WordCache(singular).__getitem__


def singulars(folded: Iterable[str]) -> list[str]:
    """Undo the plurals of many words, each worked out once."""
    return list(map(_singular_of, folded))


def naming(source: str) -> str:
    """The words of a text in the form in which names are looked up in it: folded, singular, a blank at both ends."""
    return f" {' '.join(map(_singular_of, words(source)))} "


def letters(source: str) -> str:
    """A text such that every word of it in the form of `naming`, but for its last letter, stands somewhere in it.

    It costs far less than `naming`, so that most texts that do not hold a name need not be read in that form.
    """
    return fold(_plainer(source)).replace("'", "")


def unmistakable(needle: str) -> tuple[str, ...]:
    """What must stand in the `letters` of a text that holds a name, given in the form of `naming`."""
    # Plurals differ from their singular behind its last letter but one.
    return tuple([word[:-1] for word in needle.split()])


def find_name(source: str, name: str) -> int:
    """Return where a name stands as whole words, both in lower case; -1 where it does not, or there is none."""
    at = source.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if not (at and _goes_on(source[at - 1], name[0])) and not (
            end < len(source) and _goes_on(name[-1], source[end])
        ):
            return at
        at = source.find(name, at + 1)
    return -1


def find_mentioned(names: Iterable[str], haystack: str) -> list[str]:
    """Which of the names stand in a text, given in the form of `naming`: at word boundaries, in the order asked."""
    return [n for n in names if (needle := naming(n)).strip() and needle in haystack]


def to_embed(title: str, heading: str, body: str) -> str:
    """Return the text of a passage that is turned into its vector."""
    return ". ".join(part for part in (title, heading, body) if part)


@lru_cache(maxsize=65_536)
def rarity(count: int) -> float:
    """Return how specific a name is: 1 when one passage uses it, falling with the logarithm of how many do."""
    return 1 / (1 + math.log(max(1, count)))


def _goes_on(before: str, after: str) -> bool:
    """Return whether a word goes on from one character to the next; in scripts without spaces each may begin one."""
    if before.isascii() and after.isascii():
        return before.isalnum() and after.isalnum()
    if unicodedata.category(after)[0] == "M":
        return True
    if _UNSPACED.match(before) or _UNSPACED.match(after):
        return False
    return after.isalnum() and (before.isalnum() or unicodedata.category(before)[0] == "M")
