"""What the source says about messages: which keys it asks for, by name or by the beginning of a name."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from jinja2 import Environment, nodes

ROOT = Path(__file__).parents[2]
CALLED = {"t", "r", "words", "_words", "fill", "put"}
KEY = re.compile(r"[a-z0-9-]+(\.[A-Za-z0-9_/-]+)+")
_BEGINNING = re.compile(r"[a-z0-9-]+\.([A-Za-z0-9_/-]+\.)*([a-z0-9]+-)?")
_QUOTED = re.compile(rf"""["'`]({KEY.pattern.replace("(", "(?:")}|[a-z-]+\.)["'`]""")


class Call(NamedTuple):
    """One place where words are asked for: by the `whole` key, or by its `begin` or `end` where the rest is not seen.

    `given` are the names of the parameters, None where they cannot be seen.
    """

    place: str
    key: str
    form: str
    given: frozenset[str] | None


def fields(text: str) -> set[str]:
    """Returns the names between braces, with their conversions and formats where they have any."""
    return {
        name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "")
        for _, name, spec, conversion in Formatter().parse(text)
        if name is not None
    }


@cache
def calls() -> list[Call]:
    """Returns every call for words in the package, the templates and the prints."""
    found: list[Call] = []
    for path in sorted((ROOT / "companion").rglob("*.py")):
        found += python_calls(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
    for path in _pages():
        found += template_calls(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)))
    return found


@cache
def mentioned() -> set[str]:
    """Returns every text in the source that could be a key, however it gets to the words."""
    found: set[str] = set()
    for path in (ROOT / "companion").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY.fullmatch(node.value):
                found.add(node.value)
    for path in (*_pages(), *(ROOT / "static").rglob("*.js")):
        found.update(_QUOTED.findall(path.read_text(encoding="utf-8")))
    return found


@cache
def beginnings() -> set[str]:
    """Returns how keys begin that are put together before words are asked for, and the kinds that games may reword."""
    found: set[str] = set()
    for path in (ROOT / "companion").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                if _BEGINNING.fullmatch(str(node.values[0].value)):
                    found.add(str(node.values[0].value))
            elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "of_game":
                if isinstance(node.args[0], ast.Constant):
                    found.add(f"{node.args[0].value}.")
    return found


def python_calls(source: str, place: str) -> Iterator[Call]:
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name not in CALLED:
            continue
        named = [keyword.arg for keyword in node.keywords]
        # `fill` and `put` get theirs in a mapping.
        given = None if None in named or name in ("fill", "put") else frozenset(filter(None, named))
        for part in _choices(node.args[0]):
            where = f"{place}:{node.lineno}"
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield Call(where, part.value, "whole", given)
            elif isinstance(part, ast.JoinedStr) and isinstance(part.values[0], ast.Constant):
                yield Call(where, str(part.values[0].value), "begin", given)


def template_calls(source: str, place: str) -> Iterator[Call]:
    tree = Environment(extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"], autoescape=True).parse(source)
    for node in tree.find_all(nodes.Call):
        name = getattr(node.node, "name", getattr(node.node, "attr", ""))
        if name not in CALLED or not node.args:
            continue
        named = node.dyn_kwargs is None and name not in ("fill", "put")
        given = frozenset(keyword.key for keyword in node.kwargs) if named else None
        for part in _template_choices(node.args[0]):
            where = f"{place}:{node.lineno}"
            if isinstance(part, nodes.Const) and isinstance(part.value, str):
                yield Call(where, part.value, "whole", given)
            elif isinstance(part, nodes.Concat | nodes.Add):
                first, last = _ends(part)
                if isinstance(first, nodes.Const):
                    yield Call(where, str(first.value), "begin", given)
                else:
                    ends = [end for end in _template_choices(last) if isinstance(end, nodes.Const)]
                    yield from (Call(where, str(end.value), "end", given) for end in ends)


def _pages() -> list[Path]:
    return sorted(path for folder in ("templates", "printables") for path in (ROOT / folder).rglob("*.html"))


def _choices(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from _choices(node.body)
        yield from _choices(node.orelse)
    else:
        yield node


def _template_choices(node: nodes.Node) -> Iterator[nodes.Node]:
    if isinstance(node, nodes.CondExpr):
        yield from _template_choices(node.expr1)
        if node.expr2 is not None:
            yield from _template_choices(node.expr2)
    else:
        yield node


def _ends(node: nodes.Concat | nodes.Add) -> tuple[nodes.Node, nodes.Node]:
    if isinstance(node, nodes.Concat):
        return node.nodes[0], node.nodes[-1]
    first = _ends(node.left)[0] if isinstance(node.left, nodes.Concat | nodes.Add) else node.left
    return first, node.right
