"""A program as LLVM IR: a loop over groups of states, one per lane of a vector.

The last group of states overlaps the one before it; fewer states than lanes are padded. Functions
of the module: ``core`` is the loop over groups, ``run`` takes any number of states, and the one of
:mod:`.llvm_entry` is called from Python.
"""

from __future__ import annotations

from collections.abc import Callable

from .llvm_entry import COLUMNS, ROWS, STATE, entry_text
from .llvm_loops import ATTRIBUTES, BLOCKS, COPY, LOOP, SPREAD
from .llvm_math import Instructions
from .program import LEAVES, MASKS, Program, pairs, scheduled

BLOCK_BYTES = 65_536  # of a block of results, which stays in the second-level cache
LINE = 64  # bytes of a line of the cache; rows an odd number of them apart fall on other sets
# tiles of results from which a function stores them: the shuffles of the 54 of a regressor take two
# thirds of the time of compiling it; the 15 of a derivative run faster where they are written out
MANY = 32
FEW = 8  # most results that are stored straight into the rows of (n, N)
INFIX = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
RELATIONS = {"less": "olt", "less_equal": "ole"}


def module_text(program: Program, layout: str, single: bool, width: int) -> str:
    """Return the module of a program.

    Args:
        program: What is computed.
        layout: One of :data:`.llvm_entry.LAYOUTS`.
        single: True for float32.
        width: Lanes of a vector; 1 for one state.
    """
    return _Writer(program, layout, single, width).module()


class _Writer:
    """One module while it is written."""

    def __init__(self, program: Program, layout: str, single: bool, width: int) -> None:
        self.program = scheduled(program)
        self.layout, self.width = layout, width
        self.code = Instructions(single, width)
        self.item, self.bytes = self.code.item, self.code.bits // 8
        self.lengths = [length for _, length in program.inputs]
        self.sizes = [len(output.steps) for output in self.program.outputs]
        steps = [step for output in self.program.outputs for step in output.steps]
        self.row = {step: row for row, step in enumerate(dict.fromkeys(steps))}
        self.in_block = layout == COLUMNS and len(steps) > FEW
        # of two by two lanes a call would take longer than the shuffles
        self.by_tile = layout == ROWS and width > 2 and len(steps) > MANY * width
        block = BLOCK_BYTES // (self.bytes * len(self.row)) // width * width
        self.block = max(block, width)
        self.pitch = LINE * (-(-self.bytes * self.block // LINE) | 1)
        self.inputs = [f"x{i}" for i in range(len(self.lengths))]
        self.outputs = [f"y{i}" for i in range(len(self.sizes))]

    # --- the module

    def module(self) -> str:
        """Write all functions."""
        parts = [self._core(), self._entry()]
        if self.by_tile:
            parts.append(self._tile())
        if self.layout != STATE:
            parts += [COPY.format(item=self.item, bytes=self.bytes), self._run()]
        if self.in_block:
            parts.append(SPREAD.format(real=self.code.real, bytes=self.bytes, width=self.width))
            parts += [
                f"@places{i} = internal constant [{len(output.steps)} x i64]"
                f" [{', '.join(f'i64 {self.row[step] * self.pitch}' for step in output.steps)}]"
                for i, output in enumerate(self.program.outputs)
            ]
        return "\n".join([*sorted(self.code.declarations), ATTRIBUTES, *parts])

    def _entry(self) -> str:
        call = f"  call void @{'core' if self.layout == STATE else 'run'}({self._arguments()})"
        return entry_text(
            self.layout,
            self.item,
            list(zip(self.inputs, self.lengths, strict=True)),
            list(zip(self.outputs, self.sizes, strict=True)),
            len(self.program.constants),
            call,
        )

    def _parameters(self, names: list[str], attributes: str = "") -> list[str]:
        """Write the parameters of arrays: data, and of (n, N) the stride."""
        data = [f"ptr noalias {attributes}%{name}" for name in names]
        if self.layout != COLUMNS:
            return data
        strides = [f"i64 %{name}s" for name in names]
        return [text for pair in zip(data, strides, strict=True) for text in pair]

    def _core(self) -> str:
        """Write the loop over the groups of at least one group of states."""
        results = ["ptr noalias %buffer"] if self.in_block else self._parameters(self.outputs)
        given = [*self._parameters(self.inputs, "readonly "), "ptr noalias readonly %p"]
        body = "\n".join(self._body())
        if self.layout == STATE:
            parameters, loop = [*given, *results], f"{body}\n  ret void"
        else:
            parameters = [*given, *results, "i64 %n"]
            loop = LOOP.format(width=self.width, body=body)
        return f"define internal void @core({', '.join(parameters)}) #0 {{\n{loop}\n}}\n"

    def _run(self) -> str:
        """Write the function over any number of states: in blocks, and padded."""
        given = [*self._parameters(self.inputs, "readonly "), "ptr noalias readonly %p"]
        parameters = ", ".join([*given, *self._parameters(self.outputs), "i64 %n"])
        body = f"{self._padded()}\nenough:\n{self._whole()}"
        return f"define internal void @run({parameters}) #0 {{\n{body}\n}}\n"

    def _whole(self) -> str:
        """Write what enough states take: one loop, or one per block of results."""
        if not self.in_block:
            return f"  call void @core({self._arguments()})\n  ret void"
        moved, arguments = [], []
        for name in self.inputs:
            moved.append(f"  %{name}b = getelementptr {self.item}, ptr %{name}, i64 %first")
            arguments += [f"ptr %{name}b", f"i64 %{name}s"]
        spread = []
        for i, (name, size) in enumerate(zip(self.outputs, self.sizes, strict=True)):
            spread.append(f"  %{name}b = getelementptr {self.item}, ptr %{name}, i64 %first")
            spread.append(
                f"  call void @spread(ptr %{name}b, i64 %{name}s, ptr %buffer, ptr @places{i},"
                f" i64 {size}, i64 %size)"
            )
        return BLOCKS.format(
            width=self.width,
            block=self.block,
            bytes=self.pitch * len(self.row),
            moved="\n".join(moved),
            arguments=", ".join(arguments),
            spread="\n".join(spread),
        )

    def _arguments(self, suffix: str = "", count: str = "%n") -> str:
        """Write the arguments of ``run``: the arrays, or with a suffix padded copies of them."""
        stride = f"{self.width * self.bytes}"
        texts = []
        for name in [*self.inputs, "p", *self.outputs]:
            texts.append(f"ptr %{name}" if name == "p" else f"ptr %{name}{suffix}")
            if self.layout == COLUMNS and name != "p":
                texts.append(f"i64 {stride if suffix else f'%{name}s'}")
        return ", ".join(texts if self.layout == STATE else [*texts, f"i64 {count}"])

    def _padded(self) -> str:
        """Write what fewer states than lanes take: copies in which the last state is repeated."""
        lines = [
            "entry:",
            f"  %few = icmp ult i64 %n, {self.width}",
            "  br i1 %few, label %pad, label %enough",
            "pad:",
            "  %last = sub i64 %n, 1",
        ]
        lengths = zip([*self.inputs, *self.outputs], [*self.lengths, *self.sizes], strict=True)
        copied = []
        for name, length in lengths:
            total = max(length, 1) * self.width
            lines.append(f"  %{name}.padded = alloca [{total} x {self.item}], align 64")
            row = self.width * self.bytes
            if self.layout == COLUMNS:
                there, here, rows, columns = f"%{name}s", f"{row}", f"{length}", "%n"
                padded = f"i64 {length}, i64 {self.width}, i64 {max(length - 1, 0)}, i64 %last"
            else:
                there = here = f"{length * self.bytes}"
                rows, columns = "%n", f"{length}"
                padded = f"i64 {self.width}, i64 {length}, i64 %last, i64 {max(length - 1, 0)}"
            if name in self.inputs:
                lines.append(
                    f"  call void @copy(ptr %{name}.padded, i64 {here}, ptr %{name}, i64 {there},"
                    f" {padded})"
                )
            else:
                copied.append(
                    f"  call void @copy(ptr %{name}, i64 {there}, ptr %{name}.padded, i64 {here},"
                    f" i64 {rows}, i64 {columns}, i64 {rows}, i64 {columns})"
                )
        lines.append(f"  call void @run({self._arguments('.padded', f'{self.width}')})")
        return "\n".join([*lines, *copied, "  ret void"])

    # --- one group of states

    def _body(self) -> list[str]:
        code = self.code
        loaded = self._loaded()
        constants: dict[int, str] = {}

        def constant(number: int) -> str:
            if number not in constants:
                place = code.emit(f"getelementptr {self.item}, ptr %p, i64 {number}")
                value = code.emit(f"load {self.item}, ptr {place}, !invariant.load !0")
                if self.width > 1:
                    first = code.emit(
                        f"insertelement {code.real} poison, {self.item} {value}, i32 0"
                    )
                    value = code.emit(
                        f"shufflevector {code.real} {first}, {code.real} poison,"
                        f" <{self.width} x i32> zeroinitializer"
                    )
                constants[number] = value
            return constants[number]

        values: dict[int, str] = {}
        together = {number: pair for pair in pairs(self.program) for number in pair[1:]}

        def value(number: int) -> str:
            """Write a leaf when it is first needed."""
            if number not in values:
                operation, operands, x = self.program.steps[number]
                if operation == "input":
                    values[number] = loaded(*operands)
                elif operation == "constant":
                    values[number] = constant(operands[0])
                else:
                    values[number] = code.number(x)
            return values[number]

        stores = self._stores()
        for number, (operation, operands, _) in enumerate(self.program.steps):
            if operation in LEAVES:
                continue
            if number in together:
                angle, sine, cosine = together[number]
                if number == min(sine, cosine):
                    values[sine], values[cosine] = code.sincos(value(angle))
            else:
                values[number] = self._step(operation, [value(i) for i in operands])
            stores(number, values)
        for number in self.row:  # results that are inputs, constants or numbers
            if self.program.steps[number].operation in LEAVES:
                value(number)
                stores(number, values)
        if self.layout == ROWS:
            self._store_tiles(values)
        return code.lines

    def _step(self, operation: str, a: list[str]) -> str:
        code = self.code
        if operation in INFIX:
            return code.binary(INFIX[operation], *a)
        if operation in RELATIONS:
            return code.compare(RELATIONS[operation], *a)
        if operation in ("and", "or"):
            return code.emit(f"{operation} {code.mask} {a[0]}, {a[1]}")
        simple: dict[str, Callable[[], str]] = {
            "neg": lambda: code.emit(f"fneg {code.real} {a[0]}"),
            "inv": lambda: code.binary("fdiv", code.number(1.0), a[0]),
            "sin": lambda: code.sincos(a[0])[0],
            "cos": lambda: code.sincos(a[0])[1],
            "exp": lambda: code.exp(a[0]),
            "log": lambda: code.log(a[0]),
            "sqrt": lambda: code.intrinsic("sqrt", a[0]),
            "abs": lambda: code.intrinsic("fabs", a[0]),
            "sign": lambda: code.sign(a[0]),
            "nearest": lambda: code.nearest(a[0]),
            "atan2": lambda: code.atan2(*a),
            "select": lambda: code.select(*a),
            "not": lambda: code.emit(f"xor {code.mask} {a[0]}, {self._all()}"),
        }
        return simple[operation]()

    def _all(self) -> str:
        return "true" if self.width == 1 else "splat (i1 true)"

    # --- loads

    def _loaded(self) -> Callable[[int, int], str]:
        """Return a function that writes a component of an input of the present states."""
        code = self.code
        if self.layout == STATE:
            return lambda i, k: code.emit(f"load {self.item}, ptr {self._place(f'x{i}', k)}")
        if self.layout == COLUMNS:
            return lambda i, k: self._load(self._row_place(f"x{i}", k, f"%x{i}s"))
        columns: dict[int, list[str]] = {}

        def of_rows(i: int, k: int) -> str:
            if i not in columns:
                columns[i] = self._columns_of(f"x{i}", self.lengths[i])
            return columns[i][k]

        return of_rows

    def _place(self, name: str, offset: int) -> str:
        return self.code.emit(f"getelementptr {self.item}, ptr %{name}, i64 {offset}")

    def _row_place(self, name: str, row: int, stride: str) -> str:
        """Write the address of the present states in a row."""
        code = self.code
        start = code.emit(f"getelementptr {self.item}, ptr %{name}, i64 %j")
        offset = code.emit(f"mul i64 {row}, {stride}")
        return code.emit(f"getelementptr i8, ptr {start}, i64 {offset}")

    def _load(self, place: str) -> str:
        return self.code.emit(f"load {self.code.real}, ptr {place}, align {self.bytes}")

    def _store(self, value: str, place: str) -> None:
        self.code.lines.append(f"  store {self.code.real} {value}, ptr {place}, align {self.bytes}")

    def _columns_of(self, name: str, n: int) -> list[str]:
        """Write the columns of the present rows ``(width, n)`` of an array as vectors."""
        start = self._first_row(name, n)
        if n == 1:
            return [self._load(start)]
        size, starts = self._tiles(n)
        columns: dict[int, str] = {}
        for k in starts:
            rows = []
            for state in range(size):
                offsets = [n * (state + first) + k for first in range(0, self.width, size)]
                rows.append(self._joined([self._part(start, offset, size) for offset in offsets]))
            columns |= {k + i: column for i, column in enumerate(self._transposed(rows))}
        return [columns[k] for k in range(n)]

    def _first_row(self, name: str, n: int) -> str:
        """Write the address of the first of the present rows ``(width, n)`` of an array."""
        first = self.code.emit(f"mul i64 %j, {n}")
        return self.code.emit(f"getelementptr {self.item}, ptr %{name}, i64 {first}")

    def _tiles(self, n: int) -> tuple[int, list[int]]:
        """Return the size of tiles of n columns, and where they start; the last two overlap."""
        size = min(self.width, 1 << n.bit_length() - 1)
        return size, [*range(0, n - size, size), n - size]

    def _vector(self, size: int) -> str:
        return f"<{size} x {self.item}>"

    def _part(self, start: str, offset: int, size: int) -> str:
        """Write a short vector from memory."""
        place = self.code.emit(f"getelementptr {self.item}, ptr {start}, i64 {offset}")
        return self.code.emit(f"load {self._vector(size)}, ptr {place}, align {self.bytes}")

    # --- shuffles

    def _joined(self, parts: list[str]) -> str:
        """Write short vectors as one."""
        while len(parts) > 1:
            size = self.width // len(parts)
            lanes = list(range(2 * size))
            pairs_of_parts = zip(parts[::2], parts[1::2], strict=True)
            parts = [self._shuffle(size, a, b, lanes) for a, b in pairs_of_parts]
        return parts[0]

    def _shuffle(self, size: int, a: str, b: str, lanes: list[int]) -> str:
        vector, indices = self._vector(size), ", ".join(f"i32 {lane}" for lane in lanes)
        return self.code.emit(
            f"shufflevector {vector} {a}, {vector} {b}, <{len(lanes)} x i32> <{indices}>"
        )

    def _transposed(self, rows: list[str]) -> list[str]:
        """Write square tiles, side by side, transposed: blocks of twice the size change places."""
        width, size = self.width, 1
        while size < len(rows):
            low = [e if not e & size else width + e - size for e in range(width)]
            high = [e + size if not e & size else width + e for e in range(width)]
            rows = [
                self._shuffle(width, rows[i & ~size], rows[i | size], high if i & size else low)
                for i in range(len(rows))
            ]
            size *= 2
        return rows

    # --- stores

    def _stores(self) -> Callable[[int, dict[int, str]], None]:
        """Return a function that writes the stores that a step makes possible."""
        code = self.code
        if self.in_block:

            def in_block(number: int, values: dict[int, str]) -> None:
                if number in self.row:
                    start = code.emit(f"getelementptr {self.item}, ptr %buffer, i64 %j")
                    offset = self.row[number] * self.pitch
                    place = code.emit(f"getelementptr i8, ptr {start}, i64 {offset}")
                    self._store(self._real(number, values), place)

            return in_block
        if self.layout == ROWS:  # tiles, once all results are there
            return lambda number, values: None
        places: dict[int, list[tuple[str, int]]] = {}
        for name, output in zip(self.outputs, self.program.outputs, strict=True):
            for k, step in enumerate(output.steps):
                places.setdefault(step, []).append((name, k))

        def straight(number: int, values: dict[int, str]) -> None:
            for name, k in places.get(number, ()):
                place = (
                    self._place(name, k)
                    if self.layout == STATE
                    else self._row_place(name, k, f"%{name}s")
                )
                self._store(self._real(number, values), place)

        return straight

    def _store_tiles(self, values: dict[int, str]) -> None:
        """Write the stores of ``(N, n)``, tile by tile in the order of memory."""
        for name, output in zip(self.outputs, self.program.outputs, strict=True):
            size, starts = self._tiles(len(output.steps))
            for k in starts:
                tile = output.steps[k : k + size]
                self._store_tile(name, [self._real(i, values) for i in tile], k)

    def _store_tile(self, name: str, columns: list[str], k: int) -> None:
        n, size = self.sizes[int(name[1:])], len(columns)
        start = self._first_row(name, n)
        if n == 1:
            self._store(columns[0], start)
            return
        if self.by_tile and size == self.width:
            place = self.code.emit(f"getelementptr {self.item}, ptr {start}, i64 {k}")
            given = f"ptr {place}, i64 {n * self.bytes}, {self._vectors(columns)}"
            self.code.lines.append(f"  call void @tile({given})")
            return
        for state, row in enumerate(self._transposed(columns)):
            for first in range(0, self.width, size):
                lanes = list(range(first, first + size))
                part = row if size == self.width else self._shuffle(self.width, row, row, lanes)
                offset = n * (state + first) + k
                place = self.code.emit(f"getelementptr {self.item}, ptr {start}, i64 {offset}")
                self.code.lines.append(
                    f"  store {self._vector(size)} {part}, ptr {place}, align {self.bytes}"
                )

    def _tile(self) -> str:
        """Write the function that stores a square tile of results in rows ``%pitch`` bytes apart.

        One function for all tiles: written out where they are stored, their shuffles would take
        most of the time of compiling a matrix.
        """
        code, columns = self.code, [f"%c{k}" for k in range(self.width)]
        code.lines = []
        for state, row in enumerate(self._transposed(columns)):
            offset = code.emit(f"mul i64 {state}, %pitch")
            place = code.emit(f"getelementptr i8, ptr %to, i64 {offset}")
            self._store(row, place)
        parameters = f"ptr noalias %to, i64 %pitch, {self._vectors(columns)}"
        body = "\n".join([*code.lines, "  ret void"])
        return f"define internal void @tile({parameters}) #0 {{\n{body}\n}}\n"

    def _vectors(self, names: list[str]) -> str:
        return ", ".join(f"{self.code.real} {name}" for name in names)

    def _real(self, number: int, values: dict[int, str]) -> str:
        """Write a result as a number; of a mask, 1 and 0."""
        if self.program.steps[number].operation in MASKS:
            code = self.code
            return code.emit(f"uitofp {code.mask} {values[number]} to {code.real}")
        return values[number]
