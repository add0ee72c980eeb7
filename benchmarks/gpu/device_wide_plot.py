"""Draws the times of a run of `library.py` over the number of elements, a panel a case, as SVG; both axes are logarithmic."""
import json
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, ACROSS = 200, 130, 4   # of a panel in pixels, and how many stand side by side
LEFT, TOP = 30, 22                    # what the labels take of it
COLORS = {"on": "#1f6fb2", "peer": "#c2571a"}


def decades(least, most):
    """The powers of ten from below `least` to above `most`."""
    return [10.0**e for e in range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)]


def share(value, least, most):
    """How far `value` lies between the two, on a logarithmic axis."""
    return math.log(value / least) / math.log(most / least)


def panel(name, rows, x, y):
    """The lines of one case, with its corner at (x, y)."""
    sizes = [row["n"] for row in rows]
    times = [row["times"][who][0] for row in rows for who in COLORS if who in row["times"]]
    ticks = decades(min(times), max(times))
    right, bottom = x + WIDTH - 8, y + HEIGHT - 16

    def across(n):
        return x + LEFT + share(n, min(sizes), max(sizes)) * (right - x - LEFT)

    def up(time):
        return bottom - share(time, ticks[0], ticks[-1]) * (bottom - y - TOP)
    parts = [f'<text x="{x + LEFT}" y="{y + 13}" class="name">{escape(name)}</text>']
    for tick in ticks:
        parts.append(f'<path d="M{x + LEFT} {up(tick):.1f}H{right}" class="grid"/>')
        parts.append(f'<text x="{x + LEFT - 3}" y="{up(tick) + 3:.1f}" text-anchor="end">{tick:g}</text>')
    for n in sizes:
        parts.append(f'<text x="{across(n):.1f}" y="{bottom + 12}" text-anchor="middle">{math.log2(n):.0f}</text>')
    for who, color in COLORS.items():
        points = " ".join(f"{across(row['n']):.1f},{up(row['times'][who][0]):.1f}" for row in rows if who in row["times"])
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.6"/>')
    return parts


def plot(results, picture):
    data = json.loads(results.read_text())
    cases = {}
    for row in data["rows"]:
        if row["times"]:
            cases.setdefault(row["case"], []).append(row)
    cases = {name: sorted(rows, key=lambda row: row["n"]) for name, rows in cases.items() if len(rows) > 1}
    width, height = ACROSS * WIDTH, -(-len(cases) // ACROSS) * HEIGHT + 24
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="9">',
             "<style>.name{font-size:9px;font-weight:bold}.grid{stroke:#ddd}</style>",
             f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<text x="{LEFT}" y="15" class="name">Milliseconds over log2 of the elements, {escape(data["device"])}: '
             f'<tspan fill="{COLORS["on"]}">Kern, guards on</tspan>, <tspan fill="{COLORS["peer"]}">{data.get("peers", "CUB, cuRAND")}</tspan></text>']
    for number, (name, rows) in enumerate(cases.items()):
        parts += panel(name, rows, number % ACROSS * WIDTH, number // ACROSS * HEIGHT + 22)
    picture.write_text("\n".join([*parts, "</svg>"]) + "\n")
