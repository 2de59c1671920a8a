"""The page in a real browser: nothing to complain about, and every plot is drawn."""

import re
from pathlib import Path

from recalld.cli._run import run
from support.browser import load
from support.labelled import write_data

PLOTS = ("Reliability", "Injection", "Latency", "Hit@1 by category")


def test_a_browser_draws_every_plot_and_finds_nothing_wrong(tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    for name, engine in (("one", "none"), ("two", "none")):
        (tmp_path / f"{name}.toml").write_text(f'[embed]\nengine = "{engine}"\n')
    file = tmp_path / "page.html"
    options = ["--config", str(tmp_path / "one.toml"), "--against", str(tmp_path / "two.toml")]
    assert run(["eval", str(data), *options, "--html", str(file)]) == 0
    loaded = load(file, tmp_path / "profile")
    assert loaded.console == ()
    for plot in PLOTS:
        (drawn,) = re.findall(rf'aria-label="{plot}">(.*?)</svg>', loaded.dom, re.DOTALL)
        assert re.search(r'<(?:circle|rect) class="s0"', drawn), plot
        assert re.search(r'<(?:circle|rect) class="s1"', drawn), plot


def test_a_complaint_of_the_browser_would_be_noticed(tmp_path: Path) -> None:
    file = tmp_path / "bad.html"
    file.write_text("<!doctype html><title>x</title><script>console.error('broken')</script>")
    loaded = load(file, tmp_path / "profile")
    assert any("broken" in line for line in loaded.console)
