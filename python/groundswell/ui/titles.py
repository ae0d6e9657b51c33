"""What a box of the dataflow is called: what it does, in a few words. Pure."""

from __future__ import annotations

import re

_QUALIFIED = re.compile(r"\b[A-Za-z_]\w*\.(?=[A-Za-z_])")
_EQUAL = re.compile(r"^\(?(\w+) = (\w+)\)?$")
_JOINS = {
    "inner": "",
    "left outer": "left ",
    "right outer": "right ",
    "full outer": "full ",
    "left semi": "semi ",
    "left anti": "anti ",
}


def of(op: str, text: str) -> tuple[str, str]:
    """A title, and what more there is to say.

    Args:
        op: kind of the operator, as ``join``.
        text: what it does, as ``explain`` says it; steps with semicolons between, its own first.

    Returns:
        As ``("group by city", "count(1), sum(amount)")``.
    """
    own = _QUALIFIED.sub("", text.split(";")[0]).strip()
    for pattern, made in _KNOWN:
        if (found := re.match(pattern, own)) is not None:
            title, more = made(found)
            return title.strip(), more.strip()
    return op.replace("_", " "), own


def _source(found: re.Match[str]) -> tuple[str, str]:
    return f"{found[2]} of {found[1]}", ""


def _join(found: re.Match[str]) -> tuple[str, str]:
    kind = ("temporal " if found[0].startswith("Temporal") else "") + _JOINS.get(
        found[1], f"{found[1]} "
    )
    keys = [key.strip() for key in found[2].split(" and ")]
    names = [same[1] if (same := _EQUAL.match(key)) and same[1] == same[2] else key for key in keys]
    return f"{kind}join by {', '.join(names)}", ""


def _grouped(found: re.Match[str]) -> tuple[str, str]:
    return f"group by {found[1]}", _bare(found[2])


def _ungrouped(found: re.Match[str]) -> tuple[str, str]:
    return "aggregate of all rows", _bare(found[1])


def _distinct(found: re.Match[str]) -> tuple[str, str]:
    return f"distinct {found[1]}", ""


def _top(found: re.Match[str]) -> tuple[str, str]:
    return f"top {found[2]} by {found[1]}", ""


def _window(found: re.Match[str]) -> tuple[str, str]:
    called = re.match(r"\(*(\w+)\(", found[2])
    name = called[1].lower().replace("_", " ") if called else "window"
    return f"{name} by {found[1]}", ""


def _bare(listed: str) -> str:
    """Without the parentheses around it all; of a text that was cut off, without the first."""
    depth = 0
    for at, letter in enumerate(listed):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return listed[1:-1] if 0 < at == len(listed) - 1 else listed
    return listed.removeprefix("(")


_KNOWN = (
    (r"Source (\S+) \((.+?)\)", _source),
    (r"(?:Temporal )?[Jj]oin (.+?) on (.+?)(?:(?:, filter| where) .*)?$", _join),
    (r"Aggregate by \((.*?)\) (\(.*)", _grouped),
    (r"Aggregate global (\(.*)", _ungrouped),
    (r"Distinct by \((.*?)\)", _distinct),
    (r"TopN \((.*)\) limit (\d+)", _top),
    (r"Window by \((.*?)\)(?: order \(.*?\))? (\(.*)", _window),
)
