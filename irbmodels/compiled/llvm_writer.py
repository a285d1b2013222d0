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
PADDING = 64  # bytes more per row than a block has, so that rows fall on other sets of the cache
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
        block = BLOCK_BYTES // (self.bytes * len(self.row)) // width * width
        self.block = max(block, width)
        self.pitch = self.bytes * self.block + PADDING
        self.inputs = [f"x{i}" for i in range(len(self.lengths))]
        self.outputs = [f"y{i}" for i in range(len(self.sizes))]

    # --- the module

    def module(self) -> str:
        """Write all functions."""
        parts = [self._core(), self._entry()]
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
        code, width = self.code, self.width
        first = code.emit(f"mul i64 %j, {n}")
        start = code.emit(f"getelementptr {self.item}, ptr %{name}, i64 {first}")

        def at(offset: int) -> str:
            place = code.emit(f"getelementptr {self.item}, ptr {start}, i64 {offset}")
            return self._load(place)

        if n < width:
            flat = [at(width * i) for i in range(n)]
            return [self._gathered(flat, [lane * n + k for lane in range(width)]) for k in range(n)]
        columns: dict[int, str] = {}
        for k in [*range(0, n - width, width), n - width]:
            tile = self._transposed([at(lane * n + k) for lane in range(width)])
            columns |= {k + i: vector for i, vector in enumerate(tile)}
        return [columns[k] for k in range(n)]

    # --- shuffles

    def _shuffle(self, a: str, b: str, lanes: list[int]) -> str:
        mask = ", ".join(f"i32 {lane}" if lane >= 0 else "i32 poison" for lane in lanes)
        real, indices = self.code.real, f"<{self.width} x i32>"
        return self.code.emit(f"shufflevector {real} {a}, {real} {b}, {indices} <{mask}>")

    def _gathered(self, sources: list[str], places: list[int]) -> str:
        """Write the vector of some entries of vectors that lie one behind the other."""
        width = self.width
        total = ""
        for i, source in enumerate(sources):
            lanes = [lane for lane, place in enumerate(places) if place // width == i]
            if not lanes:
                continue
            if not total:
                done = set(lanes)
                total = self._shuffle(
                    source, "poison", [p % width if p // width == i else -1 for p in places]
                )
                continue
            mask = [lane if lane in done else -1 for lane in range(width)]
            for lane in lanes:
                mask[lane] = width + places[lane] % width
            total = self._shuffle(total, source, mask)
            done.update(lanes)
        return total

    def _transposed(self, rows: list[str]) -> list[str]:
        """Write the columns of a square tile, exchanging blocks of half the size each time."""
        width, size = self.width, 1
        while size < width:
            low = [e if not e & size else width + e - size for e in range(width)]
            high = [e + size if not e & size else width + e for e in range(width)]
            rows = [
                self._shuffle(rows[i & ~size], rows[i | size], high if i & size else low)
                for i in range(width)
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
        if self.layout == ROWS:
            return self._stores_of_rows()
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

    def _stores_of_rows(self) -> Callable[[int, dict[int, str]], None]:
        """Return the function for ``(N, n)``: tiles are transposed once they are complete."""
        width = self.width
        waiting: list[tuple[set[int], str, list[int], int]] = []
        for name, output in zip(self.outputs, self.program.outputs, strict=True):
            n = len(output.steps)
            starts = [0] if n < width else [*range(0, n - width, width), n - width]
            for k in starts:
                tile = list(output.steps[k : k + width])
                waiting.append((set(tile), name, tile, k))

        def rows(number: int, values: dict[int, str]) -> None:
            for entry in [entry for entry in waiting if number in entry[0]]:
                missing, name, tile, k = entry
                missing.discard(number)
                if not missing:
                    waiting.remove(entry)
                    self._store_tile(name, [self._real(i, values) for i in tile], k)

        return rows

    def _store_tile(self, name: str, columns: list[str], k: int) -> None:
        code, width = self.code, self.width
        n = self.sizes[int(name[1:])]
        first = code.emit(f"mul i64 %j, {n}")
        start = code.emit(f"getelementptr {self.item}, ptr %{name}, i64 {first}")
        if n < width:
            vectors = [
                self._gathered(
                    columns,
                    [flat % n * width + flat // n for flat in range(i * width, (i + 1) * width)],
                )
                for i in range(n)
            ]
            offsets = [i * width for i in range(n)]
        else:
            vectors = self._transposed(columns)
            offsets = [lane * n + k for lane in range(width)]
        for vector, offset in zip(vectors, offsets, strict=True):
            place = code.emit(f"getelementptr {self.item}, ptr {start}, i64 {offset}")
            self._store(vector, place)

    def _real(self, number: int, values: dict[int, str]) -> str:
        """Write a result as a number; of a mask, 1 and 0."""
        if self.program.steps[number].operation in MASKS:
            code = self.code
            return code.emit(f"uitofp {code.mask} {values[number]} to {code.real}")
        return values[number]
