"""Values of a module's names: its declarations, those of modules it uses, the controller's own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from ..checks import as_instance
from ..errors import RapidError, UnknownName
from .expressions import ExpressionEvaluator, Names, Undeclared, Unknown
from .grammar import parse
from .module import Declaration, Module, checked_module
from .predefined import PREDEFINED, type_of
from .text import refusing_depth
from .value_builder import Builder, Expression


class Constants:
    """Data of a module, with computed initial values."""

    def __init__(self, module: Module) -> None:
        """Keep the module; values are computed on demand."""
        self.module = module
        self._computing: list[str] = []
        self._computed: dict[int, tuple[str, Any]] = {}
        """Type and value by declaration, of those that only other constants have a part in."""
        self.absent: frozenset[str] = frozenset()
        self.given: frozenset[str] = frozenset()

    def declaration(self, name: str) -> Declaration | None:
        """Return the declaration of a name in lower case.

        LOCAL ones of other modules are not seen.
        """
        for module in (self.module, *self.module.uses):
            found = module.by_name.get(name)
            if found is not None and (module is self.module or found.scope != "LOCAL"):
                return found
        return None

    def datum(self, name: Any) -> tuple[str, Any]:
        """Return type and value of a name.

        Raises:
            Unknown: if it depends on the run.
        """
        lower = name.lower()
        declared = self.declaration(lower)
        if declared is not None:
            return self.value(declared, self)
        if lower in PREDEFINED:
            return PREDEFINED[lower].rapid, PREDEFINED[lower]
        if lower == "pi":
            return "num", math.pi
        if kind := type_of(lower):
            raise Unknown(f"{name} is the controller's own {kind}, whose value is not known here")
        raise Undeclared(f"{name} is declared neither in this module nor in one it was read with")

    def call(self, evaluator: ExpressionEvaluator, node: Any) -> tuple[str, Any]:
        """Refuse a call: an initial value holds none."""
        raise Unknown(f"{node.children[0]!s}() is not evaluated")

    def value_or_expression(self, declared: Declaration) -> Any:
        """Return the value of a declaration, or its expression if it cannot be computed."""
        try:
            return self.value(declared, self)[1]
        except (Unknown, RapidError):
            return declared.value

    def value(self, declared: Declaration, names: Names) -> tuple[str, Any]:
        """Return type and value of a declaration, computed with the names in its scope.

        Raises:
            Unknown: if it has none, or it cannot be computed.
        """
        if declared.value is None:
            raise Unknown(
                f"{declared.name} of line {declared.line} has no value until the program runs"
            )
        builder = self.builder(
            declared.value.text if isinstance(declared.value, Expression) else ""
        )
        kind = builder.resolve(declared.type)
        if not isinstance(declared.value, Expression):
            return kind, declared.value
        if names is self and id(declared) in self._computed:
            return self._computed[id(declared)]
        if declared.name in self._computing:
            raise Unknown(f"{declared.name} of line {declared.line} is defined by itself")
        self._computing.append(declared.name)
        try:
            node = parse(builder.text, "condition").children[0]
            evaluator = ExpressionEvaluator(names, builder)
            result = kind, evaluator.evaluate(kind, declared.size, node, declared.name)
        finally:
            self._computing.pop()
        if names is self:
            self._computed[id(declared)] = result
        return result

    def builder(self, text: str) -> Builder:
        """Return a builder of values in a text, with the types of the module."""
        builder = Builder(text, self.module.file)
        builder.records, builder.aliases = dict(self.module.records), dict(self.module.aliases)
        return builder


@refusing_depth
def values_of(module: Module, kind: str) -> dict[str, Any]:
    """Return all values of a type by name, those of its aliases too.

    Of arrays, each element as ``name{1,2}``.

    Initial values of constants and sums (``VAR zonedata z:=z60;``) are computed if possible.

    Args:
        module: With the declarations.
        kind: Name of the type in RAPID, in any case.

    Raises:
        InputError: if ``module`` is no module or ``kind`` no text.
    """
    constants, values = Constants(checked_module(module)), dict[str, Any]()
    name = as_instance(kind, str, "a type is given by its name in RAPID, 'robtarget'").lower()
    for declaration in module:
        names = declaration.type.lower(), constants.builder("").resolve(declaration.type)
        if name in names and declaration.value is not None:
            values.update(
                _elements(
                    declaration.name, declaration.size, constants.value_or_expression(declaration)
                )
            )
    return values


def _elements(name: str, size: tuple[int, ...], value: Any) -> Iterator[tuple[str, Any]]:
    if not size or isinstance(value, Expression):
        yield name, value
        return
    for index in product(*(range(1, count + 1) for count in size)):
        element = value
        for i in index:
            element = element[i - 1]
        yield f"{name}{{{','.join(map(str, index))}}}", element


def visible_value(module: Module, kind: str, name: str) -> Any:
    """Return a value of a module by its type and name, in any case.

    Raises:
        UnknownName: if there is none of that type.
    """
    known = visible_values(module, kind)
    value = next((value for one, value in known.items() if one.lower() == name.lower()), None)
    if value is None:
        raise UnknownName(kind, name, known)
    return value


def visible_values(module: Module, kind: str) -> dict[str, Any]:
    """Return all values of a type by name, with those of used modules that are not LOCAL."""
    shared = {
        name: value
        for other in reversed(module.uses)
        for name, value in values_of(other, kind).items()
        if other.declaration(name.partition("{")[0]).scope != "LOCAL"
    }
    return shared | values_of(module, kind)
