"""A small folder in the form of the evaluation data, whose figures are known beforehand."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

# Two of these words stand in no other note, so that words alone find each.
THINGS = (
    ("boiler", "The boiler stands in the cellar behind the green door."),
    ("ladder", "The ladder hangs in the garage above the bicycles."),
    ("passport", "The passport lies in the drawer under the telephone."),
    ("telescope", "The telescope is on the balcony, wrapped in a blanket."),
)
MESSAGES = (
    ("m1", "what did we decide about the retry policy last week?", "yes", "user", ()),
    ("m2", "write a function that reverses a string", "no", "user", ("hard_negative",)),
    ("m3", "[cron:nightly] run the report", "skip", "system", ()),
    ("m4", "/recall deep where is the ladder", "yes", "control", ()),
)


def lines(rows: Sequence[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_data(folder: Path) -> Path:
    """Two sets, a gate and a heartbeat folder. Words alone answer every question of ``house``
    first; those of ``shed`` about what is not there find nothing."""
    _write_set(folder / "house", "house", THINGS, [_asked(n, "house") for n in range(4)])
    absent = [
        {
            "qid": f"shed-x{number}",
            "group": "shed",
            "query": text,
            "lang": "en",
            "category": "not_in_memory",
            "abstain": True,
        }
        for number, text in enumerate(("zeppelin quorum?", "xylophone vortex?"))
    ]
    unknown = {"qid": "shed-u", "group": "shed", "query": "nobody knows?", "no_gold": True}
    (stale, newer) = (
        ("boat", "The boat is moored at pier seven."),
        ("boat2", "The boat is moored at pier nine now, the harbour moved it."),
    )
    moved = {
        "qid": "shed-m",
        "group": "shed",
        "query": "At which pier is the boat moored?",
        "lang": "en",
        "category": "update",
        "gold": ["boat2"],
        "stale": ["boat"],
    }
    _write_set(folder / "shed", "shed", (stale, newer), [moved, *absent, unknown])
    (folder / "gate").mkdir()
    (folder / "gate" / "gate.jsonl").write_text(lines([_message(*one) for one in MESSAGES]))
    (folder / "heartbeat").mkdir()
    (folder / "heartbeat" / "scenarios.jsonl").write_text(lines([_scenario()]), encoding="utf-8")
    return folder


def _message(
    name: str, text: str, label: str, kind: str, tags: tuple[str, ...]
) -> dict[str, object]:
    row: dict[str, object] = {
        "id": name,
        "text": text,
        "lang": "en",
        "kind": kind,
        "label": label,
        "tags": tags,
    }
    if kind == "control":
        row |= {"depth": "deep", "query": "where is the ladder", "force": "recall"}
    return row


def _asked(number: int, group: str) -> dict[str, object]:
    word, _ = THINGS[number]
    return {
        "qid": f"{group}-{number}",
        "group": group,
        "query": f"Where is the {word}?",
        "lang": "en",
        "category": "plain",
        "gold": [word],
    }


def _scenario() -> dict[str, object]:
    """A signal with one memory that belongs to it, and one that only shares a word."""

    def row(name: str, content: str, session: str) -> dict[str, object]:
        return {
            "id": name,
            "content": content,
            "type": "activity",
            "session": session,
            "created_at": "2026-03-01T09:00:00Z",
        }

    return {
        "id": "hb-1",
        "lang": "en",
        "signal": row("sig", "The nightly ladder inventory export fails again", "s9"),
        "memories": [
            row("m1", "Fixed the nightly ladder inventory export by raising its timeout", "s1"),
            row("m2", "Painted the garden fence green", "s2"),
        ],
        "gold": ["m1"],
        "not_gold": {"m2": "unrelated"},
    }


def _write_set(
    folder: Path,
    group: str,
    rows: Sequence[tuple[str, str]],
    queries: Sequence[Mapping[str, object]],
) -> None:
    folder.mkdir(parents=True)
    corpus = [
        {"id": name, "group": group, "session": f"s{number % 2}", "text": text}
        for number, (name, text) in enumerate(rows)
    ]
    (folder / "corpus.jsonl").write_text(lines(corpus), encoding="utf-8")
    (folder / "queries.jsonl").write_text(lines(queries), encoding="utf-8")


def _lines(rows: Sequence[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_rooms(folder: Path, name: str, things: int) -> None:
    """A set ``name``: notes of things in rooms. Half the questions are of things that no note
    names."""
    words = [f"{name}thing{number}" for number in range(2 * things)]
    notes = [
        {"id": f"r{n}", "group": name, "text": f"The {word} stands in room {n} of the house."}
        for n, word in enumerate(words[:things])
    ]
    asked = [
        {
            "qid": f"q{n}",
            "group": name,
            "query": f"In which room is the {word}?",
            "lang": "en",
            "category": "plain" if n < things else "not_in_memory",
            "gold": [f"r{n}"] if n < things else [],
            "abstain": n >= things,
        }
        for n, word in enumerate(words)
    ]
    (folder / name).mkdir(parents=True)
    (folder / name / "corpus.jsonl").write_text(_lines(notes), encoding="utf-8")
    (folder / name / "queries.jsonl").write_text(_lines(asked), encoding="utf-8")
