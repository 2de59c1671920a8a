"""Measure what tells related memories from near ones, or fit it.

``PYTHONPATH=daemon:tests python -m bench.related`` prints how good the shipped coefficients are on
the matters they were fitted on, by fits that had not seen them, and in stores of other kinds.
``--write`` puts fresh fits into the package, of every engine that is installed. How good they are
on labelled scenarios of others is what ``recalld eval`` tells.

Fitted on stores of two sizes, each filled three times. In life there is often one related memory,
which has nobody to support it, or none; and it may be told in the other language. Stores of these
kinds count a sixth.
"""

import argparse
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

import msgspec

import recalld.heartbeat
from bench.related.encode import engines, vectors_of
from bench.related.matters import (
    Store,
    Vectors,
    example,
    matters,
    stores,
    with_none_related,
    with_one_related,
)
from recalld.evaluate.related_fit import (
    Counts,
    Example,
    counted,
    fitted,
    odds_of,
    shown,
    unseen,
)
from recalld.heartbeat.weights import (
    LEXICAL_ONLY,
    Coefficients,
    Model,
    Provenance,
    WordCentres,
    coefficients_of,
)

COMMAND = "python -m bench.related --write"
FITTED_SIZES = (16, 50)
SIZES = (*FITTED_SIZES, 120, 320)
DRAWS = 3
VARIANT = 1 / 6
# What cannot compare the words that differ hardly tells one matter from another: it is to bring
# forward what is surer.
KNOWING_LESS = 0.25

# By what is known: words and memories, memories alone, no vectors at all.
FULL = ("cosine", "covered", "aligned", "supported", "behind", "crowd")
WITHOUT_WORDS = ("cosine", "covered", "supported", "behind", "crowd")
LEXICAL = ("shared", "covered", "covered_behind")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    for engine in engines():
        print(f"== {engine}")
        run(engine, write_it=chosen.write)


def run(engine: str, *, write_it: bool) -> None:
    every = matters()
    plain = {size: stores(every, unrelated=size, seed=size) for size in SIZES}
    across = stores(every, unrelated=FITTED_SIZES[0], seed=1, across=True)
    more = [
        stores(every, unrelated=size, seed=size + draw)
        for size in FITTED_SIZES
        for draw in range(1, DRAWS)
    ]
    vectors = vectors_of([*chain(*plain.values(), *more), *across], engine)
    kinds = {f"{size} unrelated": examples(some, vectors) for size, some in plain.items()}
    for size in FITTED_SIZES:
        kinds |= varied(f"{size} unrelated", plain[size], vectors)
    kinds["across languages"] = examples(across, vectors, weight=VARIANT)
    if write_it:
        own = [one for name, some in kinds.items() if is_fitted_on(name) for one in some]
        for some in more:
            own += chain(examples(some, vectors), *varied("", some, vectors).values())
        write_fitted(engine, own, vectors.centres)
    small = kinds[f"{FITTED_SIZES[0]} unrelated"]
    langs = [one.matter.lang for one in plain[FITTED_SIZES[0]]]
    for model in coefficients_of(engine).models:
        measure_unseen(model, small, langs)
        measure(model, kinds)


def is_fitted_on(kind: str) -> bool:
    """Whether stores of this kind may be fitted on; larger ones show what that is worth."""
    return not any(kind == f"{size} unrelated" for size in SIZES if size not in FITTED_SIZES)


def write_fitted(engine: str, own: Sequence[Example], centres: WordCentres | None) -> None:
    models = (
        fitted(own, FULL),
        fitted(own, WITHOUT_WORDS, missed_weight=KNOWING_LESS),
        fitted(own, LEXICAL, missed_weight=KNOWING_LESS),
    )
    write(engine, models, centres)
    if engine == engines()[0]:
        write(LEXICAL_ONLY, models[-1:], None)


def varied(name: str, some: Sequence[Store], vectors: Vectors) -> dict[str, tuple[Example, ...]]:
    """What is fewer in life than in the matters, by name."""
    return {
        f"{name}, {kind}": examples(kept, vectors, weight=VARIANT)
        for kind, kept in variants(some).items()
    }


def variants(some: Sequence[Store]) -> Mapping[str, Sequence[Store]]:
    return {
        "one related": tuple(with_one_related(some)),
        "none related": tuple(with_none_related(some, near=True)),
        "none near either": tuple(with_none_related(some, near=False)),
    }


def examples(
    some: Sequence[Store], vectors: Vectors, *, weight: float = 1.0
) -> tuple[Example, ...]:
    return tuple(example(one, vectors, weight=weight) for one in some)


def measure_unseen(model: Model, some: Sequence[Example], langs: Sequence[str]) -> None:
    """By coefficients fitted to these alone, but for the fold."""
    print(" ".join(model.features))
    by_language = {"en": Counts(), "zh": Counts()}
    lang_of = {id(one): lang for one, lang in zip(some, langs, strict=True)}
    for one, odds in unseen(some, model.features):
        found = counted(shown(odds, model.threshold), one.related)
        lang = lang_of[id(one)]
        by_language[lang] = by_language[lang].plus(found)
    tell("unseen", by_language["en"].plus(by_language["zh"]))
    for lang, counts in by_language.items():
        tell(f"unseen, {lang}", counts)


def measure(model: Model, kinds: Mapping[str, Sequence[Example]]) -> None:
    for name, some in kinds.items():
        found = [(shown(odds_of(model, one), model.threshold), one.related) for one in some]
        total = Counts()
        for listed, related in found:
            total = total.plus(counted(listed, related))
        if any(related for _, related in found):
            tell(name, total)
        else:
            kept = sum(not listed for listed, _ in found) / len(found)
            print(f"  {name:34s} kept empty {kept:.3f}")


def tell(name: str, counts: Counts) -> None:
    figures = f"P {counts.precision:.3f}  R {counts.recall:.3f}  F1 {counts.f1:.3f}"
    print(f"  {name:34s} {figures}")


def write(engine: str, models: tuple[Model, ...], centres: WordCentres | None) -> None:
    found = Coefficients(
        engine=engine,
        provenance=Provenance(
            fitted_on=f"{len(matters())} matters written for it, tests/bench/related/matters.jsonl",
            note=f"{COMMAND}; no evaluation set was seen.",
        ),
        models=models,
        word_centres=centres,
    )
    folder = Path(recalld.heartbeat.__file__).parent / "coefficients"
    folder.mkdir(exist_ok=True)
    text = msgspec.json.format(msgspec.json.encode(found), indent=1)
    (folder / f"{engine}.json").write_bytes(text + b"\n")


if __name__ == "__main__":
    main()
