"""Values of expressions: names, literals, ``Offs``, ``RelTool``, and sums of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, cast

import numpy as np
import pinocchio as pin

from ..errors import InputError
from ..model.types import Array
from .functions import FUNCTIONS, operate
from .records import Orient, Pos, Value, round_values
from .value_builder import NUMERIC, Builder
from .values import RECORDS, RobTarget

V = TypeVar("V", bound=Value)


class Unknown(Exception):
    """A value that depends on the run of the program; the message says why."""


class Undeclared(Unknown):
    """A name that is declared nowhere."""


@dataclass(frozen=True)
class Unset:
    """Stands for a value, or a part of an array or record, that depends on the run."""

    reason: str


class Partial(tuple[Any, ...]):
    """Components of a record, some of them :class:`Unset`."""


def reason_in(value: Any) -> str:
    """Return why a value, or a part of it, depends on the run; empty if it is known."""
    if isinstance(value, Unset):
        return value.reason
    if isinstance(value, tuple):
        return next(filter(None, map(reason_in, value)), "")
    return ""


class Names(Protocol):
    """Data by name, as they are where the expression stands."""

    absent: frozenset[str]
    """Optional parameters, in lower case, that the routine was not given."""
    given: frozenset[str]
    """Parameters, in lower case, that it was given."""

    def datum(self, name: Any) -> tuple[str, Any]:
        """Return type and value of a name, or raise :class:`Unknown`."""

    def call(self, evaluator: ExpressionEvaluator, node: Any) -> tuple[str, Any]:
        """Return type and value of a call of the program's own functions, or of the robot's state.

        Raises:
            Unknown: if it depends on the run.
        """


class ExpressionEvaluator:
    """Evaluator of expressions that do not depend on the run."""

    def __init__(self, scope: Names, builder: Builder) -> None:
        """Evaluate in a scope; ``builder`` holds the text, for positions of errors."""
        self.scope, self.builder = scope, builder

    def value(self, kind: type[V], node: Any, what: str) -> V:
        """Return the record that is the value of an argument.

        Raises:
            Unknown: if it depends on the run.
            RapidError: if it is no such record.
        """
        return cast(V, self.evaluate(kind.rapid, (), node, what))

    def evaluate(self, kind: str, size: tuple[int, ...], node: Any, what: str) -> Any:
        """Return the value, or array, of an argument or initial value; errors as :meth:`value`."""
        data, kind = getattr(node, "data", ""), self.builder.resolve(kind)
        if data == "group":
            return self.evaluate(kind, size, node.children[0], what)
        if data == "call":
            return self._called(kind, size, node, what)
        if data == "reference":
            return self._reference(kind, node, what, size)
        if data in ("expression", "signed") and kind in ("pos", "orient", "string") and not size:
            return self._product(kind, node, what)
        if data == "aggregate" and any(part.data != "aggregate" for part in node.iter_subtrees()):
            return self._aggregate(kind, size, node, what)
        if kind in NUMERIC and not size:
            return self.number(node)
        if data == "aggregate" or (not data and (size or kind not in RECORDS)):
            return self.builder.value(kind, size, node, what)
        if kind in RECORDS or size:
            raise self.builder.fail(node, f"{what} is a {kind}, not {self.builder.source(node)}")
        raise Unknown(f"{self.builder.source(node)} has to be computed")

    def _aggregate(self, kind: str, size: tuple[int, ...], node: Any, what: str) -> Any:
        """Return an array or a record, some component of which is no literal."""
        if not size and not self.builder.fields(kind):
            raise self.builder.fail(node, f"{what} is a {kind}, which has no components")
        return self.builder.compose(kind, size, node, what, self.evaluate)

    def number(self, node: Any) -> float:
        """Return the value of an expression of numbers; errors as :meth:`value`."""
        data = getattr(node, "data", "")
        if data == "group":
            return self.number(node.children[0])
        if data == "signed":
            sign, operand = node.children
            return -self.number(operand) if sign == "-" else self.number(operand)
        if data == "expression":
            return self.chain(node.children, self.builder.source(node))
        if data == "reference":
            return float(cast(float, self._reference("num", node, "this number")))
        if data == "call":
            return float(self._called("num", (), node, "this number"))
        return float(self.builder.value("num", (), node, "this number"))

    def chain(self, children: Sequence[Any], source: str) -> float:
        """Return a chain of operations on numbers: products first, each from left to right."""
        return float(self._chain(children, source, self.number))

    def _chain(self, children: Sequence[Any], source: str, operand: Callable[[Any], Any]) -> Any:
        """Return a chain of operations on values that ``operand`` returns."""
        first, *rest = children
        total, sign, term = None, "+", operand(first)
        try:
            for operator, node in zip(rest[::2], rest[1::2], strict=True):
                if operator in ("+", "-"):
                    total = term if total is None else operate(sign, total, term)
                    sign, term = str(operator), operand(node)
                else:
                    term = operate(operator.lower(), term, operand(node))
            return term if total is None else operate(sign, total, term)
        except (TypeError, ArithmeticError, InputError) as err:
            reason = f": {err}" if isinstance(err, OverflowError) else ""
            raise Unknown(f"{source} is not evaluated{reason}") from None

    def _product(self, kind: str, node: Any, what: str) -> Any:
        """Return a sum or product that is a position, an orientation or a text."""

        def operand(part: Any) -> Any:
            data = getattr(part, "data", "")
            if data == "group":
                return operand(part.children[0])
            if data == "expression":
                return self._chain(part.children, self.builder.source(part), operand)
            if data == "signed" and part.children[0] in ("+", "-"):
                return operate(
                    "*", operand(part.children[1]), -1.0 if part.children[0] == "-" else 1.0
                )
            if data == "aggregate" or getattr(part, "type", "") == "STRING":
                return self.evaluate(kind, (), part, what)
            if getattr(part, "type", "") == "NUMBER":
                return self.number(part)
            return self.typed(part)[1]

        value = operand(node)
        if getattr(type(value), "rapid", "string" if isinstance(value, str) else "num") != kind:
            raise Unknown(f"{self.builder.source(node)} is not evaluated")
        return value

    def typed(self, node: Any) -> tuple[str, Any]:
        """Return type and value of a name or call, whatever type it has."""
        if getattr(node, "data", "") == "call":
            return self._call(node)
        if getattr(node, "data", "") == "reference":
            return self.followed(node)
        raise Unknown(f"{self.builder.source(node)} is not evaluated")

    def _called(self, kind: str, size: tuple[int, ...], node: Any, what: str) -> Any:
        """Return the value of a call, of a certain type."""
        if node.children[0].lower() in ("offs", "reltool"):
            return self._offset_target(kind, node, what)
        has, value = self._call(node)
        if size or not (has == kind or {has, kind} <= NUMERIC):
            raise self.builder.fail(
                node, f"{what} is a {kind}; {self.builder.source(node)} is a {has}"
            )
        return value

    def _call(self, node: Any) -> tuple[str, Any]:
        word = node.children[0]
        if word.lower() in ("offs", "reltool"):
            return RobTarget.rapid, self._offset_target(RobTarget.rapid, node, str(word))
        function = FUNCTIONS.get(word.lower())
        if function is None:
            return self.scope.call(self, node)
        required, options = arguments_of(node)
        if len(required) != len(function.arguments) or options.keys() - {*function.options}:
            raise self.builder.fail(word, f"{word!s} takes {', '.join(function.arguments)}")
        values = [
            self.evaluate(kind, (), part, f"an argument of {word!s}")
            for kind, part in zip(function.arguments, required, strict=True)
        ]
        keywords = {
            name: self.number(self.option(one)) if len(one.children) > 1 else True
            for name, one in options.items()
        }
        try:
            with np.errstate(over="raise", invalid="raise"):
                return function.result, function.compute(*values, **keywords)
        except (ValueError, TypeError, ArithmeticError, InputError):
            raise Unknown(f"{self.builder.source(node)} has no value") from None

    def _reference(self, kind: str, node: Any, what: str, size: tuple[int, ...] = ()) -> Any:
        """Return the value of a name, its elements and components followed."""
        has, value = self.followed(node)
        plain = kind in RECORDS or kind in NUMERIC  # the values of other records are tuples, too
        array = isinstance(value, tuple) if plain else bool(size)
        if array != bool(size) or not (has == kind or {has, kind} <= NUMERIC):
            article = "an array of" if array else "a"
            raise self.builder.fail(
                node, f"{what} is a {kind}; {self.builder.source(node)} is {article} {has}"
            )
        return value

    def followed(self, node: Any) -> tuple[str, Any]:
        """Return type and value of a name, its elements and components followed."""
        root, *path = node.children
        has, value = self.scope.datum(root)
        for part in path:
            index = getattr(part, "type", "") != "NAME"
            if isinstance(value, Unset):
                raise Unknown(value.reason)
            if index and isinstance(value, tuple):
                value = self._element(value, part, str(root))
            elif (
                not index
                and not (_is_array(value) and has in RECORDS)
                and (fields := self.builder.fields(has))
            ):
                has, value = self._component(has, fields, value, part)
            else:
                raise self.builder.fail(
                    part, f"{root!s} is a {has}, which has no {self.builder.source(part)}"
                )
        if reason := reason_in(value):
            raise Unknown(reason)
        return has, value

    def _component(
        self, kind: str, fields: Sequence[tuple[str, str]], value: Any, part: Any
    ) -> tuple[str, Any]:
        """Return type and value of a component of a record."""
        names = [name.lower() for _, name in fields]
        if part.lower() not in names:
            raise self.builder.fail(
                part, f"a {kind} has no {part!s}, but {', '.join(name for _, name in fields)}"
            )
        index = names.index(part.lower())
        return self.builder.resolve(fields[index][0]), value[index]

    def _element(self, value: tuple[Any, ...], node: Any, name: str) -> Any:
        index = self.number(node)
        if index != int(index) or not 1 <= index <= len(value):
            raise self.builder.fail(
                node, f"{name}{{{index:g}}}: the array has elements 1 to {len(value)}"
            )
        return value[int(index) - 1]

    def _offset_target(self, kind: str, node: Any, what: str) -> RobTarget:
        word = node.children[0]
        if kind != RobTarget.rapid:
            raise self.builder.fail(word, f"{what} is a {kind}; {word!s} is a robtarget")
        required, options = arguments_of(node)
        first, *lengths = required or [word]
        if len(lengths) != 3:
            raise self.builder.fail(
                word,
                f"{word!s} takes a robtarget and three lengths, not {len(lengths) + 1} arguments",
            )
        known = {"rx", "ry", "rz"} if word.lower() == "reltool" else set()
        if wrong := sorted(options.keys() - known):
            raise self.builder.fail(
                options[wrong[0]], f"{word!s} has no \\{options[wrong[0]].children[0]!s}"
            )
        target = self.value(RobTarget, first, f"{word!s}'s target")
        move = np.array([self.number(length) for length in lengths])
        if word.lower() == "offs":
            return replace(target, trans=Pos(*round_values(np.array(target.trans.values) + move)))
        angles = [
            self.number(self.option(options[axis])) if axis in options else 0.0
            for axis in ("rx", "ry", "rz")
        ]
        try:
            return _in_tool(target, move, np.radians(angles))
        except InputError as err:
            raise self.builder.fail(first, f"{word!s}: {err}") from None

    def option(self, node: Any) -> Any:
        r"""Return the node of an option's value, ``\T:=2``.

        Raises:
            Unknown: if the option passes on one that the routine is given, ``\T?t``.
            RapidError: if it has no value.
        """
        for name in forwarded_names(node):
            self.scope.datum(name)  # a parameter: its value depends on the run
            raise self.builder.fail(name, f"{name!s} after ? is no parameter of the routine")
        values = [part for part in node.children[1:] if getattr(part, "type", "") != "ASSIGN"]
        if len(values) != 1:
            raise self.builder.fail(
                node, f"\\{node.children[0]!s} needs a value, \\{node.children[0]!s}:=..."
            )
        return values[0]


def _in_tool(target: RobTarget, move: Array, angles: Array) -> RobTarget:
    """Return ``RelTool``: moved [mm] along the tool's axes, then rotated about x, y', z'' [rad]."""
    rotation = target.rot.matrix()
    trans = np.array(target.trans.values) + rotation @ move
    x, y, z = (
        pin.rpy.rpyToMatrix(*(angle * axis)) for angle, axis in zip(angles, np.eye(3), strict=True)
    )
    rot = Orient.of(rotation @ x @ y @ z) if np.any(angles) else target.rot
    return replace(target, trans=Pos(*round_values(trans)), rot=rot)


def _is_array(value: Any) -> bool:
    return isinstance(value, tuple) and not isinstance(value, Partial)


def forwarded_names(option: Any) -> list[Any]:
    r"""Return the name in ``\WObj?WObj``, if the option has that form."""
    return [part for part in option.children[1:] if getattr(part, "type", "") == "NAME"]


def arguments_of(tree: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return required arguments of a call or instruction, and its options by name in lower case."""
    arguments = tree.children[1:]
    required = [part.children[0] for part in arguments if not is_option(part.children[0])]
    options = {
        str(one.children[0]).lower(): one
        for part in arguments
        for one in part.children
        if is_option(one)
    }
    return required, options


def is_option(node: Any) -> bool:
    r"""Return whether an argument is an option, ``\WObj:=wFix``."""
    return bool(getattr(node, "data", "") == "option")
