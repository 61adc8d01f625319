#!/usr/bin/env python3
"""Prints the picture of the live display, made of the screen that the tests expect.

usage: picture.py > docs/images/live.svg
"""

from html import escape
from pathlib import Path

SCREEN = Path(__file__).parents[2] / "Tests/EndToEndTests/Terminal/Screens/in-progress.txt"

# What depends on the clock is `(rate)` in the expected screen; these fit its sizes, after one second.
RATES = ["2.5 MB/s", "1.0 MB/s  3 s", "1.5 MB/s  1 s"]

WIDTH, LINE, MARGIN = 8.4, 22, 18


def lines():
    """The lines of the screen."""
    text = SCREEN.read_text()
    for rate in RATES:
        text = text.replace("(rate)", rate, 1)
    return text.rstrip("\n").split("\n")


def picture(shown):
    """The whole image."""
    width = round(max(map(len, shown)) * WIDTH + 2 * MARGIN)
    height = len(shown) * LINE + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" aria-label="A run in progress: how many targets are done, and a bar for each transfer">',
        f'<rect width="{width}" height="{height}" rx="8" fill="#1b2226"/>',
        '<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14" fill="#d7e0e4">',
    ]
    for number, line in enumerate(shown):
        weight = ' font-weight="bold" fill="#fff"' if line.startswith("[") else ""
        place = f'x="{MARGIN}" y="{MARGIN + 15 + number * LINE}" textLength="{round(len(line) * WIDTH)}"'
        parts.append(f'<text {place} xml:space="preserve"{weight}>{escape(line)}</text>')
    return "\n".join([*parts, "</g>", "</svg>", ""])


if __name__ == "__main__":
    print(picture(lines()), end="")
