"""Which facets the rules read out of a question."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from multihop import Engine
from multihop.parts.planners import AspectPlanner, GivenAspects
from multihop.parts.planners.aspects import aspects
from multihop.protocols import Context
from multihop.types import Note

from ...patience import patience

TYPES = {"definition", "comparison", "process", "causal", "evaluation", "application"}
D, P, A, E = "Definition/explanation of ", "Process/mechanism of ", "Uses/examples of ", "Advantages/disadvantages of "
C, F, V = "Causes/reasons of ", "Effects/consequences of ", "Comparison between "


def described(question: str) -> list[str]:
    return [a.text for a in aspects(question)]


def test_the_documented_comparison() -> None:
    found = aspects("self-attention vs multi-head attention")
    assert [(a.text, a.type, a.core) for a in found] == [
        ("Definition/explanation of self-attention", "definition", True),
        ("Definition/explanation of multi-head attention", "definition", True),
        ("Comparison between self-attention and multi-head attention", "comparison", True),
    ]


def test_the_documented_examples() -> None:
    assert [(a.text, a.type, a.core) for a in aspects("Compare transformers and RNNs for NLP")] == [
        (f"{D}transformers", "definition", True),
        (f"{D}RNNs", "definition", True),
        (f"{V}transformers and RNNs for NLP", "comparison", True),
    ]
    assert [(a.text, a.type, a.core) for a in aspects("What are neural networks and how do they work?")] == [
        (f"{D}neural networks", "definition", True),
        (f"{P}neural networks", "process", True),
    ]
    assert [(a.text, a.type, a.core) for a in aspects("What is Python?")] == [(f"{D}Python", "definition", True)]


@pytest.mark.parametrize(
    ("question", "sides", "qualifier"),
    [
        ("What is the difference between TCP and UDP?", ["TCP", "UDP"], ""),
        ("What are the main differences between mitosis, meiosis and binary fission?",
         ["mitosis", "meiosis", "binary fission"], ""),
        ("I was wondering what the difference between a crocodile and an alligator is", ["crocodile", "alligator"], ""),
        ("How does a vaccine differ from an antibiotic?", ["vaccine", "antibiotic"], ""),
        ("How did the Difference Engine differ from the Analytical Engine?",
         ["Difference Engine", "Analytical Engine"], ""),
        ("How do Python and Ruby differ in speed?", ["Python", "Ruby"], " in speed"),
        ("How does Kafka compare to RabbitMQ?", ["Kafka", "RabbitMQ"], ""),
        ("How is jazz different from blues?", ["jazz", "blues"], ""),
        ("How are comets and asteroids different?", ["comets", "asteroids"], ""),
        ("What distinguishes a virus from a bacterium?", ["virus", "bacterium"], ""),
        ("Compare solar power, wind power and hydropower", ["solar power", "wind power", "hydropower"], ""),
        ("Compare and contrast active and passive transport", ["active transport", "passive transport"], ""),
        ("Could you compare the Kyoto Protocol with the Paris Agreement?", ["Kyoto Protocol", "Paris Agreement"], ""),
        ("Supervised and unsupervised learning: what's the difference?",
         ["Supervised learning", "unsupervised learning"], ""),
        ("X vs. Y vs. Z", ["X", "Y", "Z"], ""),
        ("React versus Angular for large teams", ["React", "Angular"], " for large teams"),
        ("Which is better for web servers: nginx or Apache?", ["nginx", "Apache"], " for web servers"),
        ("PostgreSQL or MySQL, which should I use for analytics?", ["PostgreSQL", "MySQL"], " for analytics"),
        ("Which was opened first, the Brooklyn Bridge or the Forth Bridge?", ["Brooklyn Bridge", "Forth Bridge"], ""),
        ("Which of Python, Java and Go is easiest to learn?", ["Python", "Java", "Go"], ""),
        ("Should I buy a diesel car or an electric car?", ["diesel car", "electric car"], ""),
        ("Is Rust faster than Go?", ["Rust", "Go"], ""),
        ("Are electric cars better for the environment than petrol cars?",
         ["electric cars", "petrol cars"], " for the environment"),
        ("Apollo 11, Sputnik 1 and Voyager 1 compared", ["Apollo 11", "Sputnik 1", "Voyager 1"], ""),
        ("tea or coffee?", ["tea", "coffee"], ""),
        ("Similarities between Greek and Roman mythology", ["Greek", "Roman mythology"], ""),
    ],
)  # fmt: skip
def test_comparisons_define_every_side(question: str, sides: list[str], qualifier: str) -> None:
    named = f"{V}{', '.join(sides[:-1])} and {sides[-1]}{qualifier}"
    assert described(question) == [*(f"{D}{side}" for side in sides), named]
    assert aspects(question)[-1].subjects == tuple(sides)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # definition
        ("What's a black hole?", [f"{D}black hole"]),
        ("What exactly is dark energy?", [f"{D}dark energy"]),
        ("Define entropy", [f"{D}entropy"]),
        ("What does HTTP stand for?", [f"{D}HTTP"]),
        ("What is meant by opportunity cost?", [f"{D}opportunity cost"]),
        ("What do you mean by recursion?", [f"{D}recursion"]),
        ("What is the meaning of entropy?", [f"{D}entropy"]),
        ("Who was Ada Lovelace?", [f"{D}Ada Lovelace"]),
        ("Tell me about the Suez Canal", [f"{D}Suez Canal"]),
        ("I am curious about black holes", [f"{D}black holes"]),
        ("Describe the water cycle", [f"{D}water cycle"]),
        ("Explain quantum entanglement to me", [f"{D}quantum entanglement"]),
        ("Can you tell me what dark matter is?", [f"{D}dark matter"]),
        ("What are mitosis and meiosis?", [f"{D}mitosis", f"{D}meiosis"]),
        ("What is self-attention in transformers?", [f"{D}self-attention in transformers"]),
        ("Photosynthesis", [f"{D}Photosynthesis"]),
        # process
        ("How does photosynthesis work?", [f"{P}photosynthesis"]),
        ("How is steel made?", [f"{P}steel: made"]),
        ("Could you explain how glass is produced?", [f"{P}glass: is produced"]),
        ("I don't understand how blockchains reach consensus", [f"{P}blockchains: reach consensus"]),
        ("How do vaccines protect the body?", [f"{P}vaccines: protect the body"]),
        ("In what way do enzymes speed up reactions?", [f"{P}enzymes: speed up reactions"]),
        ("How to bake sourdough bread", [f"{P}bake sourdough bread"]),
        ("Walk me through the Krebs cycle step by step", [f"{P}Krebs cycle"]),
        ("What are the stages of sleep?", [f"{P}sleep"]),
        ("How did the Enigma machine and the Lorenz cipher work?", [f"{P}Enigma machine", f"{P}Lorenz cipher"]),
        ("How do I install Python?", [f"{P}install Python"]),
        ("Tell me how a bill becomes a law", [f"{P}bill: becomes a law"]),
        # causal
        ("Why is the sky blue?", [f"{C}sky: blue"]),
        ("Why is biodiversity important?", [f"{C}biodiversity: important"]),
        ("I'd like to know why the Tacoma Narrows Bridge collapsed", [f"{C}Tacoma Narrows Bridge: collapsed"]),
        ("Why did the Roman Empire fall?", [f"{C}Roman Empire: fall"]),
        ("What causes earthquakes?", [f"{C}earthquakes"]),
        ("What caused the First World War?", [f"{C}First World War"]),
        ("For what reason was the Berlin Wall built?", [f"{C}Berlin Wall: built"]),
        ("What makes diamonds hard?", [f"{C}diamonds: hard"]),
        ("What are the effects of caffeine on sleep?", [f"{F}caffeine on sleep"]),
        ("What were the consequences of the Treaty of Versailles?", [f"{F}Treaty of Versailles"]),
        ("How does climate change affect agriculture?", [f"{F}climate change: affect agriculture"]),
        ("What happens if the ozone layer disappears?", [f"{F}ozone layer: disappears"]),
        ("What role did Alan Turing play in breaking Enigma?", [f"{F}Alan Turing: play in breaking Enigma"]),
        ("What are the causes and effects of inflation?", [f"{C}inflation", f"{F}inflation"]),
        # evaluation
        ("Pros and cons of nuclear power", [f"{E}nuclear power"]),
        ("What are the advantages and disadvantages of solar energy?", [f"{E}solar energy"]),
        ("What are solar energy's benefits and drawbacks?", [f"{E}solar energy"]),
        ("Is intermittent fasting safe?", [f"{E}intermittent fasting: safe"]),
        ("How effective is the flu vaccine?", [f"{E}flu vaccine: effective"]),
        ("Should I learn Rust?", [f"{E}Rust: learn"]),
        # application
        ("What's the point of unit tests?", [f"{A}unit tests"]),
        ("When should I use a hash map?", [f"{A}hash map"]),
        ("What is graphene used for?", [f"{A}graphene"]),
        ("What are the uses of helium?", [f"{A}helium"]),
        ("Give me some examples of renewable energy", [f"{A}renewable energy"]),
        ("Where are superconductors used?", [f"{A}superconductors"]),
        ("How is machine learning used in medicine?", [f"{A}machine learning: in medicine"]),
        ("What is the purpose of mitochondria?", [f"{A}mitochondria"]),
    ],
)  # fmt: skip
def test_one_clause(question: str, expected: list[str]) -> None:
    assert described(question) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is CRISPR, how does it work and what are its ethical risks?",
         [f"{D}CRISPR", f"{P}CRISPR", f"{E}CRISPR"]),
        ("What is blockchain and what are its pros and cons?", [f"{D}blockchain", f"{E}blockchain"]),
        ("Explain what a catalyst is and give examples", [f"{D}catalyst", f"{A}catalyst"]),
        ("What is inflation, what causes it and how can it be controlled?",
         [f"{D}inflation", f"{C}inflation", f"{P}inflation: be controlled"]),
        ("Can you tell me what dark matter is and why it is important?",
         [f"{D}dark matter", f"{C}dark matter: important"]),
        ("Please explain the process of fermentation and its uses", [f"{P}fermentation", f"{A}fermentation"]),
        ("How and why do stars explode?", [f"{P}stars: explode", f"{C}stars: explode"]),
        ("The history and uses of penicillin", [f"{P}penicillin", f"{A}penicillin"]),
        ("Mercury's uses and dangers", [f"{A}Mercury", f"{E}Mercury"]),
        ("What is reinforcement learning? How does it differ from supervised learning?",
         [f"{D}reinforcement learning", f"{D}supervised learning",
          f"{V}reinforcement learning and supervised learning"]),
        ("What is mercury used for, why is it dangerous to health and what is being done about it?",
         [f"{A}mercury", f"{C}mercury: dangerous to health", "Topic: what is being done about mercury"]),
        ("What causes malaria, how is it passed on and which drugs treat it?",
         [f"{C}malaria", f"{P}malaria: passed on", "Topic: which drugs treat malaria"]),
        ("How was the Great Wall built and why?", [f"{P}Great Wall: built", f"{C}Great Wall: built"]),
        ("How does Bitcoin differ from cash and what are its risks?",
         [f"{D}Bitcoin", f"{D}cash", f"{V}Bitcoin and cash", f"{E}Bitcoin"]),
        ("Nuclear fusion: how does it work, what are the challenges, and what could it be used for?",
         [f"{D}Nuclear fusion", f"{P}Nuclear fusion", f"{E}Nuclear fusion", f"{A}Nuclear fusion"]),
        ("Who invented the telephone and how did it work?", ["Topic: Who invented the telephone", f"{P}telephone"]),
        ("What was smallpox, and how was it first prevented and finally wiped out?",
         [f"{D}smallpox", f"{P}smallpox: first prevented and finally wiped out"]),
    ],
)  # fmt: skip
def test_several_clauses(question: str, expected: list[str]) -> None:
    assert described(question) == expected


@pytest.mark.parametrize(
    ("question", "subjects"),
    [
        ("Who won the 1998 World Cup?", ("World Cup",)),
        ("When was the Eiffel Tower built?", ("Eiffel Tower",)),
        ("How many moons does Jupiter have?", ("Jupiter",)),
        ("is it raining", ()),
    ],
)
def test_what_no_rule_fits_is_a_topic(question: str, subjects: tuple[str, ...]) -> None:
    (only,) = aspects(question)
    assert only.text.startswith("Topic: ")
    assert (only.type, only.core, only.subjects) == ("definition", True, subjects)
    assert only.keywords or only.subjects


def test_what_would_be_welcome_is_optional() -> None:
    assert [(a.text, a.core) for a in aspects("Explain gradient descent and, if possible, its limitations")] == [
        (f"{D}gradient descent", True),
        (f"{E}gradient descent", False),
    ]
    assert [(a.text, a.core) for a in aspects("What is DNA, with examples")] == [(f"{D}DNA", True), (f"{A}DNA", False)]


def test_a_specific_clause_is_asked_in_its_own_words() -> None:
    process = aspects("Why is penicillin important, and how was it discovered and made into a medicine?")[1]
    assert process.question == "How was penicillin discovered and made into a medicine?"
    assert process.keywords == ("discovered", "made", "medicine")


@given(st.text(max_size=300))
def test_every_text_has_well_formed_aspects(question: str) -> None:
    found = aspects(question)
    assert found == aspects(question)
    assert len({a.text for a in found}) == len(found) <= 12
    for aspect in found:
        assert aspect.type in TYPES
        assert 0 < aspect.importance <= 1
        assert aspect.text.strip()
        assert aspect.subjects or aspect.keywords


@pytest.mark.parametrize(
    "question", ["a" * 20_000, "what is " * 240, "x, and " * 280, "the uses and " * 150, "or " * 160]
)
def test_a_long_text_is_read_to_its_end(question: str) -> None:
    with patience():
        aspects(question)


def test_the_planner_gives_the_aspects_of_the_rules_beside_the_entities(sample: Engine) -> None:
    question = "What is radar, and how does it differ from sonar in Norway?"
    plan = AspectPlanner().plan(question, Context(sample.index()))
    assert plan.aspects == aspects(question)
    assert "Norway" in {e.text for e in plan.entities}


def test_given_aspects_are_planned_as_they_are(sample: Engine) -> None:
    given_aspects = aspects("What is radar?")
    named = Note("test", {}, "named by a model")
    plan = GivenAspects(given_aspects, (named,)).plan("Something else?", Context(sample.index()))
    assert (plan.aspects, plan.notes) == (given_aspects, (named,))
