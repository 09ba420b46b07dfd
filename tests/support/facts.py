"""What the checks of the tree ask about a file of Python, as small values that are read in one walk of its tree.

The tree itself is not kept: the trees of all files take hundreds of megabytes, the facts a few.
"""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

_BLOCKS = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})
"""The fields in which a statement holds other statements."""
_NO_CODE = frozenset(
    {"arg", "attr", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs", "level", "module", "name", "names"}
    | {"op", "ops", "rest", "simple", "str", "tag", "type_comment", "type_ignores"}
)
"""The fields that hold names, numbers and signs: nothing in which a name is read."""
_KINDS = [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST)]
_NESTED = {kind: tuple(name for name in kind._fields if name in _BLOCKS) for kind in _KINDS}
_PARTS = {kind: tuple(name for name in kind._fields if name not in _BLOCKS | _NO_CODE) for kind in _KINDS} | {
    # A lambda and a choice have fields called as blocks are, and a constant holds no node.
    ast.Lambda: ("args", "body"),
    ast.IfExp: ("test", "body", "orelse"),
    ast.Constant: (),
    ast.MatchSingleton: (),
}
_LISTS_OF_NAMES = frozenset({"__slots__", "__all__"})
"""What is assigned to these names every member or definition; that is no use of it."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Import:
    """One name of an import: `import module`, or `from module import name`."""

    module: str
    name: str | None
    bound: str
    """What the file calls it."""
    level: int
    """The number of dots before the module; 0 for an absolute import."""
    at_load: bool
    """Whether it is executed when the file itself is imported: in no function, and not for types alone."""

    @property
    def target(self) -> str:
        """Return the dotted name of what is imported: a module, or something in one."""
        return self.module if self.name is None else f"{self.module}.{self.name}"


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, a class or a constant of a module."""

    name: str
    is_registered: bool
    """Whether a decorator such as `@app.command()` gives it to an object, which then uses it."""


@dataclass(frozen=True, slots=True)
class Method:
    """A function in the body of a class."""

    name: str
    is_documented: bool


@dataclass(frozen=True, slots=True)
class Class:
    """A class, wherever in the file it is defined."""

    name: str
    is_at_top: bool
    """Whether it stands directly in the module."""
    methods: tuple[Method, ...]
    members: frozenset[str]
    """Methods, fields, and attributes that methods assign to `self`; read for classes at the top alone."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark with arguments, such as `@pytest.mark.hostile("fork-storm")`."""

    name: str
    texts: tuple[str, ...]
    """The arguments that are literal texts."""
    is_computed: bool
    """Whether some argument is no literal."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a file says; in outline, the bodies of functions add nothing but imports, and what is defined there."""

    lines: int
    statements: int
    """The number of statements directly in the module."""
    imports: tuple[Import, ...]
    definitions: tuple[Definition, ...]
    classes: tuple[Class, ...]
    functions: tuple[int, ...]
    """The length of each function in lines."""
    documentation: str | None
    docstrings: tuple[tuple[str, str], ...]
    """The name of each class and function that has a docstring, with that docstring."""
    loaded: frozenset[str]
    """The plain names that are read."""
    used: frozenset[tuple[str, str]]
    """Attributes that are looked up in what is imported: the dotted name of their owner, and their own name."""
    reads: frozenset[str]
    """The names by which members may be read: as attributes, in the body of a class, in patterns, in texts."""
    beginnings: tuple[str, ...]
    """The literal beginnings of names that are put together for `getattr`."""
    reasons: frozenset[tuple[str, str]]
    """The name by which an error is made, and the second argument it is made with if that is a literal text."""
    marks: tuple[Mark, ...]


def read_facts(text: str, *, outline: bool = False) -> Facts:
    """Return the facts of a source text, in outline if all else that functions do is of no interest.

    Raises SyntaxError.
    """
    was_enabled = gc.isenabled()
    gc.disable()  # a tree has no cycles; to look for some among its nodes takes a quarter of the time
    try:
        return _facts(text, ast.parse(text), _Reader(outline))
    finally:
        if was_enabled:
            gc.enable()


def _facts(text: str, tree: ast.Module, reader: _Reader) -> Facts:
    reader.read_block(tree.body, _Place(at_load=True))
    named = {one.bound: one.target for one in reader.imports}
    roots = {name.partition(".")[0] for name in named}
    used = {(named.get(owner, owner), name) for owner, name in reader.attributes if owner.partition(".")[0] in roots}
    return Facts(
        lines=len(text.splitlines()),
        statements=len(tree.body),
        imports=tuple(reader.imports),
        definitions=tuple(_definitions(tree.body)),
        classes=tuple(reader.classes),
        functions=tuple(reader.lengths),
        documentation=ast.get_docstring(tree),
        docstrings=tuple(reader.docstrings),
        loaded=frozenset(reader.loaded),
        used=frozenset(used),
        reads=frozenset(reader.reads),
        beginnings=tuple(reader.beginnings),
        reasons=frozenset(reader.reasons),
        marks=tuple(reader.marks),
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a statement stands."""

    at_load: bool
    is_at_top: bool = True
    in_class: bool = False
    """Whether it stands in the body of a class, and in none of its functions."""
    members: set[str] | None = None
    """Where the attributes of `self` go: set in the body of a class at the top, and in its methods."""
    in_list_of_names: bool = False


class _Reader:
    """Collects the facts of one file."""

    def __init__(self, outline: bool) -> None:
        self._outline = outline
        self.imports: list[Import] = []
        self.classes: list[Class] = []
        self.lengths: list[int] = []
        self.docstrings: list[tuple[str, str]] = []
        self.loaded: set[str] = set()
        self.attributes: set[tuple[str, str]] = set()
        self.reads: set[str] = set()
        self.beginnings: list[str] = []
        self.reasons: set[tuple[str, str]] = set()
        self.marks: list[Mark] = []

    def read_block(self, nodes: Iterable[ast.AST], place: _Place) -> None:
        """Read statements, handlers of exceptions or cases of a match, in the order of the text."""
        for node in nodes:
            if isinstance(node, _FUNCTIONS):
                self._read_function(node, place)
            elif isinstance(node, ast.ClassDef):
                self._read_class(node, place)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                self._read_import(node, place.at_load)
            else:
                self._read_other(node, place)

    def _read_import(self, node: ast.Import | ast.ImportFrom, at_load: bool) -> None:
        for alias in node.names:
            bound = alias.asname or alias.name
            if isinstance(node, ast.Import):
                self.imports.append(Import(alias.name, None, bound, 0, at_load))
            else:
                self.imports.append(Import(node.module or "", alias.name, bound, node.level, at_load))

    def _read_function(self, node: _Function, place: _Place) -> None:
        self.lengths.append((node.end_lineno or node.lineno) - node.lineno + 1)
        self._read_docstring(node)
        self._read_all(node.decorator_list, place)
        around = _Place(place.at_load, False, False, place.members)
        self._read_all([node.args, node.returns], around)
        self.read_block(node.body, _Place(False, False, False, place.members))

    def _read_class(self, node: ast.ClassDef, place: _Place) -> None:
        self._read_docstring(node)
        self._read_all(node.decorator_list, place)
        self._read_all([*node.bases, *node.keywords], _Place(place.at_load, False, False, place.members))
        methods = [one for one in node.body if isinstance(one, _FUNCTIONS)]
        own = {one.name for one in methods}.union(*map(_assigned, node.body))
        # What a class in a method assigns to `self` counts for both; what one in a class does, for neither.
        members = own if place.is_at_top else None if place.in_class else place.members
        self.read_block(node.body, _Place(place.at_load, False, True, members))
        found = tuple(Method(one.name, bool(ast.get_docstring(one))) for one in methods)
        self.classes.append(Class(node.name, place.is_at_top, found, frozenset(own)))

    def _read_docstring(self, node: _Function | ast.ClassDef) -> None:
        text = ast.get_docstring(node)
        if text is not None:
            self.docstrings.append((node.name, text))

    def _read_other(self, node: ast.AST, place: _Place) -> None:
        kind = type(node)
        around = place
        if isinstance(node, ast.Assign) and not _LISTS_OF_NAMES.isdisjoint(_assigned(node)):
            around = replace(place, in_list_of_names=True)
        for part in _PARTS[kind]:
            value = getattr(node, part)
            self._read_all(value if isinstance(value, list) else [value], around)
        for block in _NESTED[kind]:
            nested = getattr(node, block)
            if nested:
                for_types = block == "body" and isinstance(node, ast.If) and _is_for_types(node.test)
                at_load = place.at_load and not for_types
                self.read_block(nested, _Place(at_load, False, place.in_class, place.members))

    def _read_all(self, nodes: Sequence[ast.AST | None], place: _Place) -> None:
        """Read expressions, and everything in them."""
        if self._outline and not place.at_load:
            return
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if node is None:  # the key of `**others` in a dictionary, an argument without a default
                continue
            kind = type(node)
            if kind in _READ_BY:
                _READ_BY[kind](self, node, place)
            for part in _PARTS[kind]:
                value = getattr(node, part)
                if isinstance(value, list):
                    waiting += value
                else:
                    waiting.append(value)

    def _read_name(self, node: ast.Name, place: _Place) -> None:
        if isinstance(node.ctx, ast.Load):
            self.loaded.add(node.id)
            if place.in_class:
                self.reads.add(node.id)

    def _read_attribute(self, node: ast.Attribute, place: _Place) -> None:
        owner = _dotted(node.value)
        if owner:
            self.attributes.add((owner, node.attr))
        if isinstance(node.ctx, ast.Load):
            self.reads.add(node.attr)
        elif isinstance(node.ctx, ast.Store) and owner == "self" and place.members is not None:
            place.members.add(node.attr)

    def _read_constant(self, node: ast.Constant, place: _Place) -> None:
        if isinstance(node.value, str) and not place.in_list_of_names:
            self.reads.update(part for part in node.value.split(".") if part.isidentifier())

    def _read_pattern(self, node: ast.MatchClass, _: _Place) -> None:
        self.reads.update(node.kwd_attrs)

    def _read_call(self, node: ast.Call, _: _Place) -> None:
        called = node.func
        if isinstance(called, ast.Attribute):
            if _dotted(called.value) == "pytest.mark":
                texts = tuple(
                    one.value for one in node.args if isinstance(one, ast.Constant) if isinstance(one.value, str)
                )
                self.marks.append(Mark(called.attr, texts, len(texts) < len(node.args)))
        elif isinstance(called, ast.Name) and len(node.args) > 1:
            second = node.args[1]
            if called.id == "getattr" and isinstance(second, ast.BinOp) and isinstance(second.left, ast.Constant):
                self.beginnings.append(str(second.left.value))
            elif (
                called.id.endswith(("Error", "_error"))
                and isinstance(second, ast.Constant)
                and isinstance(second.value, str)
            ):
                self.reasons.add((called.id, second.value))


_READ_BY: dict[type[ast.AST], Callable[[_Reader, Any, _Place], None]] = {
    ast.Name: _Reader._read_name,
    ast.Attribute: _Reader._read_attribute,
    ast.Constant: _Reader._read_constant,
    ast.Call: _Reader._read_call,
    ast.MatchClass: _Reader._read_pattern,
}


def _dotted(node: ast.expr) -> str:
    """Return `a.b.c` as it is written; an empty text for what is not made of names alone."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := _dotted(node.value)):
        return f"{owner}.{node.attr}"
    return ""


def _is_for_types(test: ast.expr) -> bool:
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _assigned(node: ast.stmt) -> list[str]:
    """Return the plain names that a statement assigns to."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _definitions(body: Iterable[ast.stmt]) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            calls = [one.func for one in node.decorator_list if isinstance(one, ast.Call)]
            yield Definition(node.name, any(isinstance(call, ast.Attribute) for call in calls))
        else:
            yield from (Definition(name, False) for name in _assigned(node))
