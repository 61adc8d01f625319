"""Markdown tables: the costs for each workload, and the goals."""


class Goal:
    """One goal: `value` must be at most `limit` (or, with `least`, at least)."""

    def __init__(self, text, value, limit, least=False):
        self.text, self.value, self.limit, self.least = text, value, limit, least

    @property
    def is_met(self):
        return self.value is not None and (self.value >= self.limit if self.least else self.value <= self.limit)

    def row(self):
        sign = "≥" if self.least else "≤"
        if self.value is None:
            return f"| {self.text} | {sign} {self.limit:g} | not measured | |"
        verdict = "met" if self.is_met else f"missed by {abs(self.value / self.limit - 1) * 100:.0f} %"
        return f"| {self.text} | {sign} {self.limit:g} | {self.value:.3g} | {verdict} |"


def ratio(one, other, what="wall"):
    """The cost of `one` divided by that of `other`; None if either is missing."""
    mine, others = (peer.median(what) if peer else None for peer in (one, other))
    return mine / others if mine is not None and others else None


def shown(value, digits=3):
    return "" if value is None else f"{value:.{digits}f}"


def costs(title, peers, ours, floor):
    """Every peer with its medians, and the ratio of the cost of `ours` to it and to the floor."""
    lines = [
        f"### {title}",
        "",
        "| | wall s | min–max | CPU s | peak MiB | ÷ floor | syncmake ÷ it, wall | CPU | memory |",
        "|---|---:|---|---:|---:|---:|---:|---:|---:|",
    ]
    for peer in peers:
        if not peer.runs:
            lines.append(f"| {peer.name} | {peer.trouble or 'not run'} | | | | | | | |")
            continue
        least, most = peer.spread()
        mine = ["" if peer is ours else shown(ratio(ours, peer, what), 2) for what in ("wall", "cpu", "peak")]
        lines.append(
            f"| {peer.name} | {peer.median('wall'):.3f} | {least:.3f}–{most:.3f} | {peer.median('cpu'):.3f} "
            f"| {peer.median('peak'):.0f} | {shown(ratio(peer, floor), 2)} | {mine[0]} | {mine[1]} | {mine[2]} |"
        )
    return "\n".join(lines)


def goals(lines):
    return "\n".join(["| to reach | | measured | |", "|---|---|---:|---|", *(goal.row() for goal in lines)])
