from __future__ import annotations

from pathlib import Path

import pytest

from multihop import Document, Engine, profiles
from multihop.profiles import Profile
from multihop.survey.countries import MEMBERS, countries_in, usual_name
from multihop.survey.groups import chosen_groups
from multihop.survey.labels import label_index, labels_of

PLAIN = "This is the text of the plan of the government for the years that come, and it is in English."


def labels(climate: Profile, id: str, text: str = PLAIN, title: str = "", **metadata: str) -> dict[str, str]:
    return labels_of(Document(id, text, title, metadata), climate.labels)


@pytest.mark.parametrize(
    ("id", "country"),
    [
        ("INDC_AFG_20150927_FINAL.pdf", "Afghanistan"),
        ("Japans 2035-2040 NDC.pdf", "Japan"),
        ("japan.pdf", "Japan"),
        ("NDC_RF_eng.pdf", "Russian Federation"),
        ("TRINIDAD AND TOBAGO.PDF", "Trinidad and Tobago"),
        ("Papua New Guinea/ndc.pdf", "Papua New Guinea"),
        ("Guinée/cdn.pdf", "Guinea"),
        ("Côte d'Ivoire_CDN.pdf", "Côte d'Ivoire"),
        ("vietnam_ndc_2022.pdf", "Viet Nam"),
        ("2023/EU submission NDC update.pdf", "European Union"),
        ("Norway and EU cooperation.pdf", "Norway"),
        ("ndc/Asia/Nepal/second.pdf", "Nepal"),
        ("NDC_COM_final.pdf", "Comoros"),
        ("eu_ndc_2020-12-17.pdf", "European Union"),
        ("2021/jpn.pdf", "Japan"),
        ("what eu said.pdf", ""),
        ("can.pdf", ""),
        ("WHAT WE CAN DO.pdf", ""),
        ("report.pdf", ""),
    ],
)
def test_a_country_is_found_in_the_name_or_the_folder(climate: Profile, id: str, country: str) -> None:
    assert labels(climate, id)["country"] == country


def test_a_country_is_found_in_the_title_then_on_the_front_page(climate: Profile) -> None:
    front = "Submission to the convention. The Kingdom of Bahrain… Bahrain, like Qatar, will."
    assert labels(climate, "a.pdf", front, "Ndc of Oman")["country"] == "Oman"
    assert labels(climate, "a.pdf", front)["country"] == "Bahrain"
    briefing = "Germany leads. Norway and Germany agree with Chile, Kenya and Norway."
    assert labels(climate, "a.pdf", briefing)["country"] == ""


def test_what_a_document_says_counts_first_in_its_usual_spelling(climate: Profile) -> None:
    found = labels(climate, "peru.pdf", country="russia", submission_date="2020-11-25", language="Klingon")
    assert (found["country"], found["date"], found["language"]) == ("Russian Federation", "2020-11-25", "Klingon")


@pytest.mark.parametrize(
    ("id", "text", "date"),
    [
        ("INDC_AFG_20150927_FINAL.pdf", "", "2015-09-27"),
        ("a 2023-10-17 b.pdf", "", "2023-10-17"),
        ("Algeria September 03, 2015.pdf", "", "2015-09-03"),
        ("NDC June 2022 Update (3).pdf", "", "2022-06"),
        ("Iceland_updated_Feb_2021.pdf", "", "2021-02"),
        ("ndc.pdf", "REPUBLIC\n21 September\n2015\n", "2015-09-21"),
        ("ndc.pdf", "August 2015", "2015-08"),
        ("ndc.pdf", "word " * 200 + "adopted on 9 May 1992", ""),
        ("NDC 2020.pdf", "", "2020"),
        ("2022-06/ndc.pdf", "", "2022-06"),
        ("Armenia 2021-2030.pdf", "", ""),
        ("Japan 2035 NDC.pdf", "", ""),
    ],
)
def test_a_date_is_found(climate: Profile, id: str, text: str, date: str) -> None:
    assert labels(climate, id, text or "x")["date"] == date


def test_language_and_version(climate: Profile) -> None:
    french = "Le plan est dans les mains des ministres et du gouvernement pour une action dans les villes."
    assert labels(climate, "a.pdf", french)["language"] == "French"
    assert labels(climate, "a.pdf", "Россия и её климат")["language"] == "Russian"
    assert labels(climate, "a_EN.pdf", "x")["language"] == "English"
    assert labels(climate, "de.pdf", "x")["language"] == ""
    versions = {"First NDC (Updated submission).pdf": "1, updated", "Second_NDC.pdf": "2", "INDC.pdf": "intended",
                "NDC 3.0.pdf": "3.0", "ndc.pdf": ""}  # fmt: skip
    assert {id: labels(climate, id, "x")["version"] for id in versions} == versions


def test_files_and_folders_as_labels() -> None:
    profile = profiles.parse('group = "deal"\n[labels]\ndeal = "file"\nfund = "folder"', name="x")
    found = labels_of(Document("alpha/lease 7.pdf", "x", "lease 7"), profile.labels)
    assert found == {"deal": "lease 7", "fund": "alpha"}


def test_the_table_of_countries_is_sound() -> None:
    assert usual_name("jpn") == "Japan" and usual_name("Atlantis") is None
    assert all(usual_name(member) == member for member in MEMBERS) and len(MEMBERS) == 27
    assert countries_in("Niger, Nigeria and the Democratic Republic of the Congo") == {
        "Niger": 1, "Nigeria": 1, "Democratic Republic of the Congo": 1,
    }  # fmt: skip


def test_an_index_is_labeled_once_and_says_what_it_cannot_find(tmp_path: Path, climate: Profile) -> None:
    long = f"{PLAIN}\n\n" * 60
    documents = [
        Document("japan 2021-10-22.pdf", long), Document("japan (2) 2021-10-22.pdf", long), Document("x.pdf", PLAIN),
    ]  # fmt: skip
    said: list[str] = []
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(documents[0])
        engine.add(documents[1:], whole=True)
        before = {p.id: p.text for p in engine.index().passages.scan()}
        assert label_index(engine, climate, said.append) == 3
        assert {p.id: p.text for p in engine.index().passages.scan()} == before
        assert dict(engine.values("country")) == {"Japan": 2}
        assert label_index(engine, climate, said.append) == 0
        engine.add([Document("peru.pdf", PLAIN), *(Document(f"{n}.pdf", PLAIN) for n in range(9))])
        many: list[str] = []
        label_index(engine, climate, many.append)
        assert sum("no country" in line for line in many) == 5
        assert many[-2:] == [
            "5 more documents without a country",
            "labels written into the index: language of 10 documents, country of 1 document",
        ]
        assert dict(engine.values("country")) == {"Japan": 2, "Peru": 1}
    assert said == [
        "japan 2021-10-22.pdf: Japan of 2021-10-22 is also that of japan (2) 2021-10-22.pdf; both are read",
        "x.pdf: no country in its name, folder or front page; give it one in a metadata.csv",
        "labels written into the index: country of 2 documents, language of 3 documents, date of 2 documents",
    ]


def test_members_share_the_contribution_of_the_union(tmp_path: Path, climate: Profile) -> None:
    with Engine.open(tmp_path / "x.mh", create=True) as engine:
        engine.add(Document("eu", PLAIN, metadata={"country": "European Union"}))
        chosen, notes = chosen_groups(engine, climate, ["germany", "EU"])
    assert {name: group.documents for name, group in chosen.items()} == {"Germany": ("eu",), "European Union": ("eu",)}
    assert notes == ["Germany shares the contribution of the European Union"]
