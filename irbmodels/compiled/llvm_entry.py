"""LLVM IR of the function of a kernel that Python calls, as a built-in one (``METH_FASTCALL``).

It takes arrays, inputs and then results, and returns False, without computing anything, unless
their number, type, shape and layout are right, and the squares of one state within limits. Its
``self`` is an array of bytes (:func:`irbmodels.compiled.machine.function`) with the addresses that
it needs, and numbers: machine code refers to nothing outside itself, robots of one structure share
it, and a call takes 50 ns.
"""

from __future__ import annotations

from collections.abc import Sequence

COLUMNS, ROWS, STATE = "(n, N)", "(N, n)", "(n,)"
TITLES = {COLUMNS: "arrays (n, N)", ROWS: "arrays (N, n)", STATE: "one state"}
LAYOUTS = (COLUMNS, ROWS, STATE)
"""Arrays with one column per state, with one row per state, and vectors of one state."""
ENTRY = "answer"
"""Name of the function."""
HEADER = 5
"""Addresses at the start of its table: type and dtype of arrays, and three functions of Python."""
ALIGNED, WRITEABLE = 0x100, 0x400  # flags of arrays in NumPy's binary interface
NATIVE = 0x10000  # makes "=" of "<", the same order of bytes on all our processors, and not of ">"


def entry_text(
    layout: str,
    item: str,
    inputs: Sequence[tuple[str, int]],
    outputs: Sequence[tuple[str, int]],
    constants: int,
    call: str,
) -> str:
    """Return the function.

    Args:
        layout: One of :data:`LAYOUTS`.
        item: ``double`` or ``float``.
        inputs: Names in machine code and lengths of the inputs.
        outputs: The same of the results.
        constants: How many there are; the limits of one state follow them.
        call: Instruction that computes the results of arrays that are right, from ``%NAME`` (data),
            ``%NAMEs`` (stride of the first axis [bytes]), ``%p`` (constants) and ``%n`` (states).
    """
    size = 4 if item == "float" else 8
    lines = []
    for number, (name, length) in enumerate([*inputs, *outputs]):
        lines.append(_array(layout, number, name, name in dict(outputs)))
        states = "%n" if number else f"%{name}.d{int(layout == COLUMNS)}"
        shape = {COLUMNS: (length, states), ROWS: (states, length), STATE: (length,)}[layout]
        conditions = [(f"%{name}.d{axis}", f"{entry}") for axis, entry in enumerate(shape)]
        conditions.append((f"%{name}.s{len(shape) - 1}", f"{size}"))
        if layout == ROWS:
            conditions.append((f"%{name}.s0", f"{length * size}"))
        lines.append(_require(name, conditions))
        if number == 0 and layout != STATE:
            lines.append(f"  %n = add i64 {states}, 0")
    lines.append(f"  %p = getelementptr ptr, ptr %table, i64 {HEADER}")
    if layout == STATE:
        for number, (name, length) in enumerate(inputs):
            lines.append(_limit(item, name, length, constants + number))
        lines.append(call)
    else:
        lines.append(_UNLOCKED.format(call=call))
    return _ENTRY.format(
        entry=ENTRY,
        head=object.__basicsize__,
        kind=object.__basicsize__ + 8,
        native=NATIVE,
        count=len(inputs) + len(outputs),
        body="\n".join(lines),
    )


def _array(layout: str, number: int, name: str, is_output: bool) -> str:
    """Write the checks of one array, and its data, shape and strides."""
    axes = 1 if layout == STATE else 2
    text = _ARRAY.format(
        name=name,
        number=number,
        type=object.__basicsize__ - 8,
        kind=object.__basicsize__ + 8,
        native=NATIVE,
        axes=axes,
        flags=ALIGNED | (WRITEABLE if is_output else 0),
    )
    lines = [text]
    for axis in range(axes):
        for letter, field in (("d", "shape"), ("s", "strides")):
            entry = f"%{name}.{letter}{axis}"
            lines += [
                f"  {entry}.at = getelementptr i64, ptr %{name}.{field}, i64 {axis}",
                f"  {entry} = load i64, ptr {entry}.at",
            ]
    return "\n".join([*lines, f"  %{name}s = add i64 %{name}.s0, 0"])


def _require(name: str, conditions: list[tuple[str, str]]) -> str:
    """Write a branch to the refusal unless all numbers are equal in pairs."""
    lines, total = [], "true"
    for number, (actual, right) in enumerate(conditions):
        lines += [
            f"  %{name}.equal{number} = icmp eq i64 {actual}, {right}",
            f"  %{name}.all{number} = and i1 {total}, %{name}.equal{number}",
        ]
        total = f"%{name}.all{number}"
    lines += [f"  br i1 {total}, label %{name}.right, label %wrong", f"{name}.right:"]
    return "\n".join(lines)


def _limit(item: str, name: str, length: int, place: int) -> str:
    """Write the check that the square of an input keeps its limit; NaN is no limit."""
    lines, total = [], "0.0"
    for k in range(length):
        entry = f"%{name}.e{k}"
        lines += [
            f"  {entry}.at = getelementptr {item}, ptr %{name}, i64 {k}",
            f"  {entry} = load {item}, ptr {entry}.at",
            f"  {entry}.square = fmul {item} {entry}, {entry}",
            f"  {entry}.total = fadd {item} {total}, {entry}.square",
        ]
        total = f"{entry}.total"
    lines += [
        f"  %{name}.limit.at = getelementptr {item}, ptr %p, i64 {place}",
        f"  %{name}.limit = load {item}, ptr %{name}.limit.at",
        f"  %{name}.within = fcmp ole {item} {total}, %{name}.limit",
        f"  %{name}.free = fcmp uno {item} %{name}.limit, 0.0",
        f"  %{name}.allowed = or i1 %{name}.within, %{name}.free",
        f"  br i1 %{name}.allowed, label %{name}.in, label %wrong",
        f"{name}.in:",
    ]
    return "\n".join(lines)


# an array begins with Python's header; then come data, number of axes, shape, strides, owner, dtype
# and flags, in this order in every version of NumPy; a dtype begins with header and type of its
# numbers, then 8 bytes have kind, letter, order of bytes and number: arrays that have been pickled
# have a dtype object of their own
_ENTRY = """
%array = type {{ [{head} x i8], ptr, i32, ptr, ptr, ptr, ptr, i32 }}

define ptr @{entry}(ptr %self, ptr %arrays, i64 %count) #0 {{
  %table.at = getelementptr %array, ptr %self, i32 0, i32 1
  %table = load ptr, ptr %table.at
  %type = load ptr, ptr %table
  %dtype.at = getelementptr ptr, ptr %table, i64 1
  %dtype = load ptr, ptr %dtype.at
  %kind.at = getelementptr i8, ptr %dtype, i64 {kind}
  %kind.is = load i64, ptr %kind.at
  %kind = or i64 %kind.is, {native}
  %bool.at = getelementptr ptr, ptr %table, i64 2
  %bool = load ptr, ptr %bool.at
  %complete = icmp eq i64 %count, {count}
  br i1 %complete, label %first, label %wrong
first:
{body}
  %true = call ptr %bool(i64 1)
  ret ptr %true
wrong:
  %false = call ptr %bool(i64 0)
  ret ptr %false
}}
"""

_ARRAY = """  %{name}.at = getelementptr ptr, ptr %arrays, i64 {number}
  %{name}.array = load ptr, ptr %{name}.at
  %{name}.type.at = getelementptr i8, ptr %{name}.array, i64 {type}
  %{name}.type = load ptr, ptr %{name}.type.at
  %{name}.is.array = icmp eq ptr %{name}.type, %type
  br i1 %{name}.is.array, label %{name}.header, label %wrong
{name}.header:
  %{name}.dtype.at = getelementptr %array, ptr %{name}.array, i32 0, i32 6
  %{name}.dtype = load ptr, ptr %{name}.dtype.at
  %{name}.kind.at = getelementptr i8, ptr %{name}.dtype, i64 {kind}
  %{name}.kind.is = load i64, ptr %{name}.kind.at
  %{name}.kind = or i64 %{name}.kind.is, {native}
  %{name}.real = icmp eq i64 %{name}.kind, %kind
  %{name}.axes.at = getelementptr %array, ptr %{name}.array, i32 0, i32 2
  %{name}.axes = load i32, ptr %{name}.axes.at
  %{name}.flat = icmp eq i32 %{name}.axes, {axes}
  %{name}.flags.at = getelementptr %array, ptr %{name}.array, i32 0, i32 7
  %{name}.flags = load i32, ptr %{name}.flags.at
  %{name}.set = and i32 %{name}.flags, {flags}
  %{name}.usable = icmp eq i32 %{name}.set, {flags}
  %{name}.either = and i1 %{name}.real, %{name}.flat
  %{name}.every = and i1 %{name}.either, %{name}.usable
  br i1 %{name}.every, label %{name}.read, label %wrong
{name}.read:
  %{name}.data.at = getelementptr %array, ptr %{name}.array, i32 0, i32 1
  %{name} = load ptr, ptr %{name}.data.at
  %{name}.shape.at = getelementptr %array, ptr %{name}.array, i32 0, i32 3
  %{name}.shape = load ptr, ptr %{name}.shape.at
  %{name}.strides.at = getelementptr %array, ptr %{name}.array, i32 0, i32 4
  %{name}.strides = load ptr, ptr %{name}.strides.at"""

_UNLOCKED = """  %save.at = getelementptr ptr, ptr %table, i64 3
  %save = load ptr, ptr %save.at
  %restore.at = getelementptr ptr, ptr %table, i64 4
  %restore = load ptr, ptr %restore.at
  %some = icmp ne i64 %n, 0
  br i1 %some, label %go, label %end
go:
  %thread = call ptr %save()
{call}
  call void %restore(ptr %thread)
  br label %end
end:"""
