from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Document, Engine, profiles
from multihop.profiles import Profile
from multihop.survey import survey
from multihop.survey.findings import ValueSource, findings
from multihop.survey.labels import label_index
from multihop.survey.trial import without_signs

LEASE = """# Agreement

This Services Agreement is entered into as of 3 May 2021 (the "Effective Date") by and between Alder Works Ltd and Birch
Software Inc.

# Term

The initial term of this agreement is three (3) years. Thereafter it shall automatically renew for successive
periods of one year.

# Termination

Either party may terminate this agreement upon sixty (60) days' prior written notice to the other party.

# Fees

Undisputed invoices are payable within 30 days of receipt.

# Liability

The aggregate liability of either party under this agreement shall not exceed USD 2,500,000.

# Confidentiality

Confidential information shall not be disclosed for a period of 5 years after termination of this agreement.

# Law

This agreement is governed by and construed in accordance with the laws of the State of Vermont, without regard to its
conflict of law rules.
"""
LOAN = """\
This loan contract dated 12 January 2019 is made between Cedar Bank and Mr. Dale. It shall remain in force for
18 months and shall not be renewed automatically. It is governed by English law. The weather was fine.
"""
TRIAL = """\
We conducted a randomized, double-blind, placebo-controlled trial. A total of 1,204 patients were randomly
assigned to receive 20 mg of velotrin daily or placebo. The primary outcome was death from any cause at one
year. Patients were followed for a median of 24 months. The primary outcome occurred less often with velotrin
(hazard ratio, 0.74; 95% CI, 0.61 to 0.89; P<0.001). Serious adverse events occurred in 4.2% of patients who
received velotrin. Patients were aged 60 years.
"""
COHORT = """\
Background: coffee is widely used. This cohort study included 48,300 adults. The adjusted odds ratio was 1.12
for heart disease.
"""


def values(tmp_path: Path, profile: str, documents: list[Document]) -> dict[str, dict[str, str]]:
    known = profiles.load(profile)
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(documents)
        said: list[str] = []
        label_index(engine, known, said.append)
        assert all(line.startswith("labels written into the index: ") for line in said)
        found = survey(engine, known)
    return {g.group: {a.label: a.value for a in g.answers} for g in found.groups}


def test_contracts(tmp_path: Path) -> None:
    found = values(tmp_path, "contracts", [Document("deals/birch.pdf", LEASE), Document("deals/cedar.pdf", LOAN)])
    assert found == {
        "birch": {
            "Parties": "Alder Works Ltd and Birch Software Inc", "Effective date": "2021-05-03", "Term": "3 years",
            "Notice": "60 days", "Governing law": "Vermont", "Liability cap": "USD 2,500,000", "Payment": "30 days",
            "Confidentiality": "5 years", "Renewal": "yes",
        },
        "cedar": {
            "Parties": "Cedar Bank and Mr", "Effective date": "2019-01-12", "Term": "18 months",
            "Notice": "not found", "Governing law": "English", "Liability cap": "not found", "Payment": "not found",
            "Confidentiality": "not found", "Renewal": "no",
        },
    }  # fmt: skip


def test_clinical_abstracts(tmp_path: Path) -> None:
    found = values(tmp_path, "trials", [Document("velotrin.txt", TRIAL), Document("coffee.txt", COHORT)])
    sentence = "A total of 1,204 patients were randomly assigned to receive 20 mg of velotrin daily or placebo."
    assert found == {
        "coffee": {
            "Design": "cohort", "Participants": "48,300 adults", "Intervention": "not found",
            "Primary outcome": "not found", "Effect": "adjusted odds ratio was 1.12", "P value": "not found",
            "Follow-up": "not found", "Harms": "not found",
        },
        "velotrin": {
            "Design": "randomized, double-blind, placebo-controlled", "Participants": "1,204 patients",
            "Intervention": sentence, "Primary outcome": "death from any cause at one year",
            "Effect": "hazard ratio, 0.74 (0.61 to 0.89)", "P value": "P<0.001", "Follow-up": "24 months",
            "Harms": "4.2%",
        },
    }  # fmt: skip


@pytest.mark.parametrize("name", ["climate", "contracts", "trials"])
def test_profiles_that_ship_give_every_signal_something_to_look_for(name: str) -> None:
    assert list(without_signs(profiles.load(name))) == []


def test_the_template_reads_the_value_it_explains() -> None:
    question = profiles.parse(profiles.template(), name="mine").questions[0]
    said = "The work of phase two is due by 3 May 2030, extended from 1 May 2030."
    assert [f.text for f in findings(question, [ValueSource("a", said, 0.6)])] == ["2030-05-03 (two)"]


TWINS = {
    "English": (
        "The country commits to reduce its greenhouse gas emissions by 40% by 2030 compared to 1990 levels.",
        "Emissions will be 30% lower by 2030 compared to the business-as-usual scenario.",
        "The target covers these sectors: energy, industrial processes, agriculture, land use and forestry, and waste.",
        "The gases covered are carbon dioxide, methane and nitrous oxide.",
        "Total greenhouse gas emissions in the base year 1990 were 25.3 million tonnes of CO2 equivalent.",
        "Compared to the previous NDC, this updated contribution raises the ambition of the target from 20% to 30%.",
        "It will implement its national climate action plan and promote renewable energy and energy efficiency.",
    ),
    "French": (
        "Le pays s'engage à réduire ses émissions de gaz à effet de serre de 40 % d'ici à 2030 par rapport aux niveaux "
        "de 1990.",
        "Les émissions seront inférieures de 30 % d'ici à 2030 par rapport au scénario de référence.",
        "L'objectif couvre les secteurs suivants : énergie, procédés industriels, agriculture, utilisation des terres "
        "et foresterie, et déchets.",
        "Les gaz couverts sont le dioxyde de carbone, le méthane et l'oxyde nitreux.",
        "Les émissions totales de gaz à effet de serre de l'année de référence 1990 s'élevaient à 25,3 millions de "
        "tonnes équivalent CO2.",
        "Par rapport à la CDN précédente, cette contribution actualisée rehausse l'ambition de l'objectif de 20 % à "
        "30 %.",
        "Le pays mettra en œuvre son plan d'action national pour le climat et promouvra les énergies renouvelables et "
        "l'efficacité énergétique.",
    ),
    "Spanish": (
        "El país se compromete a reducir sus emisiones de gases de efecto invernadero en un 40 por ciento para 2030 "
        "con respecto a los niveles de 1990.",
        "Las emisiones serán un 30 % inferiores para 2030 con respecto al escenario tendencial.",
        "La meta abarca los siguientes sectores: energía, procesos industriales, agricultura, uso de la tierra y "
        "silvicultura, y residuos.",
        "Los gases cubiertos son el dióxido de carbono, el metano y el óxido nitroso.",
        "Las emisiones totales de gases de efecto invernadero en el año base 1990 fueron de 25,3 millones de toneladas "
        "de CO2 equivalente.",
        "En comparación con la NDC anterior, esta contribución actualizada aumenta la ambición de la meta del 20 % al "
        "30 %.",
        "El país implementará su plan nacional de acción climática y promoverá las energías renovables y la eficiencia "
        "energética.",
    ),
}


@pytest.mark.parametrize(
    ("number", "place", "value"),
    [
        (1, 0, "40% below 1990 by 2030"),
        (2, 0, "1990"),
        (3, 1, "yes"),
        (4, 2, "Energy, Industry, Agriculture, Land use, Waste"),
        (5, 3, "CO2, CH4, N2O"),
        (6, 4, 25.3),
        (7, 5, None),
        (8, 6, None),
    ],
)
def test_a_sentence_in_french_or_spanish_scores_like_its_english_twin(
    climate: Profile, tmp_path: Path, number: int, place: int, value: str | float | None
) -> None:
    with Engine.open(tmp_path / "ndc.mh", create=True) as engine:
        engine.add([Document(name, said[place], metadata={"country": name}) for name, said in TWINS.items()])
        found = {g.group: g.answers[0] for g in survey(engine, climate, questions=[number], threshold=0.0).groups}
    scores = {name: answer.chunks[0].combined_score for name, answer in found.items()}
    assert min(scores.values()) > 0.45 * scores["English"], scores
    for name, answer in found.items():
        right = {str: answer.value, float: answer.findings[0].number}.get(type(value), answer.findings[0].sentence)
        assert right == (TWINS[name][place] if value is None else value), name
