"""Figures as SVG: axes, lines, bars. Colours are classes, so that the page chooses them. Pure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import east_asian_width

WIDTH, HEIGHT = 460, 320
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 16, 44
BAR_HEIGHT, BAR_GAP = 13, 9
# What a character of a label takes; a wide one of CJK takes twice that.
CHARACTER_WIDTH, LABEL_CHARACTERS = 6, 45


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point of a line: data coordinates, size in pixels, what hovering says, a text beside."""

    x: float
    y: float
    size: float = 3.0
    tip: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A series; points without a number are left out."""

    name: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Axes:
    """What a plot is called and what its two axes mean, 0 to ``x_most`` and 0 to ``y_most``."""

    title: str
    x: str
    y: str
    x_most: float = 1.0
    y_most: float = 1.0
    diagonal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One row of bars: a value of each series, NaN for none. ``note`` stands behind the name."""

    name: str
    values: tuple[float, ...]
    note: str = ""


def line_plot(axes: Axes, lines: Sequence[Line]) -> str:
    """Lines with their points. Says so in words where there is nothing to draw."""
    drawn = [
        Line(name=one.name, marks=tuple(m for m in one.marks if _finite(m.x, m.y))) for one in lines
    ]
    parts = [_grid(axes)]
    if axes.diagonal:
        parts.append(
            f'<line class="ideal" x1="{_x(0, axes)}" y1="{_y(0, axes)}"'
            f' x2="{_x(axes.x_most, axes)}" y2="{_y(axes.y_most, axes)}"/>'
        )
    for number, one in enumerate(drawn):
        parts.append(_line(one, axes, number))
    if not any(one.marks for one in drawn):
        parts.append(_text(WIDTH / 2, HEIGHT / 2, "nothing to measure", "middle"))
    return _svg(axes.title, parts, height=HEIGHT)


def histogram(axes: Axes, series: Sequence[Sequence[tuple[float, float, int]]]) -> str:
    """Bars from ``low`` to ``high`` as high as the count, the series beside one another."""
    parts = [_grid(axes)]
    for number, bins in enumerate(series):
        for low, high, count in bins:
            wide = (_x(high, axes) - _x(low, axes)) / len(series)
            left, top = _x(low, axes) + number * wide, _y(count, axes)
            parts.append(
                f'<rect class="s{number}" x="{left + 0.5:.1f}" y="{top:.1f}"'
                f' width="{max(0.5, wide - 1):.1f}" height="{HEIGHT - BOTTOM - top:.1f}">'
                f"<title>{low:g} to {high:g}: {count}</title></rect>"
            )
    return _svg(axes.title, parts, height=HEIGHT)


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Horizontal bars from 0 to 1, the value behind each."""
    series = max((len(row.values) for row in rows), default=1)
    step = series * BAR_HEIGHT + BAR_GAP
    labels = [_short(row.name, row.note) for row in rows]
    left = 16 + CHARACTER_WIDTH * max(map(_cells, labels), default=0)
    width = WIDTH - left - 48
    parts = []
    for at, (row, label) in enumerate(zip(rows, labels, strict=True)):
        top = 8 + at * step
        parts.append(_text(left - 8, top + series * BAR_HEIGHT / 2 + 4, label, "end"))
        for number, value in enumerate(row.values):
            known = not math.isnan(value)
            y = top + number * BAR_HEIGHT
            parts.append(
                f'<rect class="s{number}" x="{left}" y="{y}"'
                f' width="{width * value if known else 0:.1f}" height="{BAR_HEIGHT - 2}"/>'
            )
            shown = f"{value:.2f}" if known else "-"
            end = left + (width * value if known else 0) + 5
            parts.append(_text(end, y + BAR_HEIGHT - 3, shown, "start"))
    if not rows:
        parts.append(_text(WIDTH / 2, 24, "nothing to measure", "middle"))
    return _svg(title, parts, height=max(40, 16 + len(rows) * step))


def _short(name: str, note: str) -> str:
    """Name and note, the end of a long name left out."""
    room = LABEL_CHARACTERS - _cells(note) - 1
    if _cells(name) > room:
        while _cells(name) > room - 1:
            name = name[:-1]
        name += "…"
    return f"{name} {note}".strip()


def _cells(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _line(one: Line, axes: Axes, number: int) -> str:
    places = [(_x(mark.x, axes), _y(mark.y, axes)) for mark in one.marks]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    parts = [f'<polyline class="l{number}" points="{path}"/>'] if len(places) > 1 else []
    for (x, y), mark in zip(places, one.marks, strict=True):
        place = f'cx="{x:.1f}" cy="{y:.1f}" r="{mark.size:.1f}"'
        tip = f"<title>{escape(mark.tip)}</title>" if mark.tip else ""
        parts.append(f'<circle class="s{number}" {place}>{tip}</circle>')
        if mark.label:
            parts.append(_text(x + 6, y + 13, mark.label, "start"))
    return "".join(parts)


def _grid(axes: Axes) -> str:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    for at in _ticks(axes.y_most):
        y = _y(at, axes)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        parts.append(_text(LEFT - 6, y + 4, f"{at:g}", "end"))
    for at in _ticks(axes.x_most):
        x = _x(at, axes)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(_text(x, bottom + 16, f"{at:g}", "middle"))
    parts.append(_text((LEFT + right) / 2, HEIGHT - 8, axes.x, "middle"))
    across = f"rotate(-90 14 {(TOP + bottom) / 2:.0f})"
    parts.append(
        f'<text x="14" y="{(TOP + bottom) / 2:.0f}" text-anchor="middle" transform="{across}">'
        f"{escape(axes.y)}</text>"
    )
    return "".join(parts)


def _ticks(most: float) -> Iterable[float]:
    """0, and steps of 1, 2 or 5 times a power of ten up to ``most``: six at most."""
    rough = most / 5
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough * 0.999)
    return [round(number * step, 10) for number in range(int(most / step + 1e-9) + 1)]


def _svg(title: str, parts: Iterable[str], *, height: float) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _x(value: float, axes: Axes) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * value / axes.x_most


def _y(value: float, axes: Axes) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / axes.y_most


def _finite(*values: float) -> bool:
    return all(math.isfinite(value) for value in values)
