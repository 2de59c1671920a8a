"""Reports as one page of HTML that needs nothing else: no script, no request, light or dark.
Pure."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from recalld.evaluate.plots import Axes, Bar, Line, Mark, bars, histogram, line_plot
from recalld.evaluate.report import RANKING, Report, Table, injection_of, side_by_side

# Beyond this quantile a search was held up by something else; the last bar holds them all.
TAIL = 0.99
LATENCY_BINS = 24

_STYLE = """
:root{color-scheme:light dark;--bg:#fff;--fg:#1d2330;--soft:#5b6474;--rule:#d9dee7;
--s0:#2563b8;--s1:#c2570c}
@media (prefers-color-scheme:dark){:root{--bg:#14171d;--fg:#e6e9ef;--soft:#a0a8b6;--rule:#333a46;
--s0:#6aa9ff;--s1:#f6a35c}}
body{background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif;margin:2rem auto;
max-width:1040px;padding:0 1rem}
h1{font-size:1.5rem;margin-bottom:.2rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p,figcaption{color:var(--soft);margin:.2rem 0}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(360px,1fr));gap:1.5rem 2rem}
figure{margin:0;min-width:0}figure h2{margin:.2rem 0}svg{width:100%;height:auto;display:block}
svg text{fill:var(--soft);font:11px system-ui,sans-serif}
.grid{stroke:var(--rule)}.ideal{stroke:var(--soft);stroke-dasharray:4 4}
polyline{fill:none;stroke-width:2}.l0{stroke:var(--s0)}.l1{stroke:var(--s1)}
.s0{fill:var(--s0)}.s1{fill:var(--s1)}
.key{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.4em}
.k0{background:var(--s0)}.k1{background:var(--s1)}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem}
th,td{border-bottom:1px solid var(--rule);padding:.2rem .7rem;text-align:right;white-space:nowrap}
th:first-child,td:first-child{text-align:left}
""".strip()

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(reports: Sequence[Report], *, data: str) -> str:
    """One report, or two side by side."""
    body = [
        "<h1>recalld eval</h1>",
        f"<p>{escape(data)}</p>",
        *(_legend(number, report) for number, report in enumerate(reports)),
        '<div class="plots">',
        *(_figure(title, plot, note) for title, plot, note in _plots(reports)),
        "</div>",
        *(_sections(reports[0]) if len(reports) == 1 else _compared(*reports[:2])),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<link rel="icon" href="data:,"><title>recalld eval</title>'
        f"<style>{_STYLE}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _legend(number: int, report: Report) -> str:
    notes = "".join(f"<br>{escape(note)}" for note in report.notes)
    return (
        f'<p><span class="key k{number}"></span><b>{escape(report.name)}</b>: '
        f"{report.questions} questions, engine {escape(report.engine)}, injected from raw score "
        f"{report.threshold:g}{notes}</p>"
    )


def _figure(title: str, plot: str, note: str) -> str:
    return f"<figure><h2>{escape(title)}</h2>{plot}<figcaption>{escape(note)}</figcaption></figure>"


def _plots(reports: Sequence[Report]) -> list[tuple[str, str, str]]:
    return [
        (
            "Reliability",
            _reliability(reports),
            "How often the first hit is right, by its raw score; a larger point is more "
            "questions. On the dashed line a score is a probability.",
        ),
        (
            "Injection",
            _injection(reports),
            "Each point is a threshold of the raw score: what it lets through that helps, "
            "against what it lets through where nothing answers.",
        ),
        (
            "Latency",
            _latency(reports),
            "One search, in milliseconds; the last bar holds everything beyond.",
        ),
        (
            "Hit@1 by category",
            bars("Hit@1 by category", _category_bars(reports)),
            "Questions that have an answer; the number of them in brackets.",
        ),
    ]


def _reliability(reports: Sequence[Report]) -> str:
    lines = [
        Line(
            name=report.name,
            marks=tuple(
                Mark(
                    x=(one.low + one.high) / 2,
                    y=one.right,
                    size=2 + math.log1p(one.n),
                    tip=f"{one.low:g} to {one.high:g}: {one.right:.2f} of {one.n}",
                )
                for one in report.reliability
            ),
        )
        for report in reports
    ]
    axes = Axes(title="Reliability", x="raw score", y="share that is right", diagonal=True)
    return line_plot(axes, lines)


def _injection(reports: Sequence[Report]) -> str:
    lines = [
        Line(
            name=report.name,
            marks=tuple(
                Mark(
                    x=one.false,
                    y=one.useful,
                    size=5 if abs(one.threshold - report.threshold) < 1e-6 else 2.5,
                    tip=f"from {one.threshold:g}: useful {one.useful:.2f}, false {one.false:.2f}",
                    label=f"{one.threshold:g}"
                    if abs(one.threshold - report.threshold) < 1e-6
                    else "",
                )
                for one in report.curve
            ),
        )
        for report in reports
    ]
    axes = Axes(title="Injection", x="false injection (plain misses)", y="useful injection")
    return line_plot(axes, lines)


def _latency(reports: Sequence[Report]) -> str:
    longest = max((_quantile(report.took_ms) for report in reports), default=0.0) or 1.0
    wide = longest / LATENCY_BINS
    series = []
    for report in reports:
        counts = [0] * LATENCY_BINS
        for took in report.took_ms:
            counts[min(int(took / wide), LATENCY_BINS - 1)] += 1
        series.append([(at * wide, (at + 1) * wide, count) for at, count in enumerate(counts)])
    most = max((count for bins in series for _, _, count in bins), default=0) or 1
    axes = Axes(title="Latency", x="ms", y="searches", x_most=longest, y_most=most)
    return histogram(axes, series)


def _quantile(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(TAIL * len(ordered)))] if ordered else 0.0


def _category_bars(reports: Sequence[Report]) -> list[Bar]:
    names = dict.fromkeys(name for report in reports for name in report.categories)
    rows = []
    for name in names:
        found = [report.categories.get(name, {}) for report in reports]
        count = max(figures.get("n", 0) for figures in found)
        values = tuple(figures.get("hit@1", float("nan")) for figures in found)
        rows.append(Bar(name=name, values=values, note=f"({count:.0f})"))
    return rows


def _sections(report: Report) -> list[str]:
    controls = {"a prefix forces or suppresses": report.controls} if report.controls["n"] else {}
    return [
        *_table("Retrieval", report.retrieval, ("n", *RANKING)),
        *_table(f"Injected from {report.threshold:g}", injection_of(report), ("n", "rate")),
        *_table("Gate", report.gate, _columns(report.gate)),
        *_table("Gate controls", controls, ("n", "exact")),
        *_table("Uncertain messages that pass a probe, by store", report.probes, ("n", "rate")),
        *_table("Related memories of signals", report.heartbeat, _columns(report.heartbeat)),
        *_table("Latency, ms", {"search": report.latency_ms}, tuple(report.latency_ms)),
    ]


def _columns(table: Table) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for row in table.values() for name in row))


def _table(title: str, table: Table, columns: Sequence[str]) -> list[str]:
    if not table:
        return []
    rows = {name: [row.get(column) for column in columns] for name, row in table.items()}
    return [f"<h2>{escape(title)}</h2>", _rows(rows, columns)]


def _compared(one: Report, other: Report) -> list[str]:
    rows = {name: list(values) for name, values in side_by_side(one, other).items()}
    return ["<h2>Side by side</h2>", _rows(rows, (one.name, other.name, "difference"))]


def _rows(rows: Mapping[str, Sequence[float | None]], columns: Sequence[str]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in ("", *columns))
    body = "".join(
        f"<tr><td>{escape(name)}</td>{''.join(f'<td>{cell(value)}</td>' for value in values)}</tr>"
        for name, values in rows.items()
    )
    return f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'


def cell(value: float | None) -> str:
    """Counts as they are, shares to three digits, ``-`` for what is not there."""
    if value is None or math.isnan(value):
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"
