"""LLVM instructions on vectors of one width, and elementary functions written in them.

Sine, cosine and exponential are right to 2.5 units in the last place for ``|x|`` up to 1e4 (single:
4 pi), and so is the logarithm; atan2 to 4. NaN stays NaN, and the sine of infinity is NaN.

Ranges are reduced with constants in several parts (Cody & Waite); the polynomials of sine and
cosine are those of Cephes [Moshier 1989], that of the logarithm is fdlibm's [Ng 1993], those of
exponential and arctangent interpolate at Chebyshev nodes. Instructions may be contracted to fused
multiply-adds, never reordered: that would fold the parts together and lose NaN.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

FLAGS = "contract nsz"

_SIN = (
    1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
    -1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1,
)  # fmt: skip
_COS = (
    -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
    2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2,
)  # fmt: skip
_EXP = (
    2.510038549551032e-08, 2.7620088445409746e-07, 2.7557268459997064e-06, 2.4801521295954376e-05,
    0.00019841269863053618, 0.0013888888917213717, 0.008333333333330062, 0.04166666666662413,
    0.16666666666666669, 0.5000000000000001,
)  # fmt: skip
_ATAN = (
    -0.019175404711104935, 0.03923044778479309, -0.050854078345894844, 0.05858140904866328,
    -0.06664510525508936, 0.07692183125376892, -0.0909090457530649, 0.11111111015187018,
    -0.14285714284665682, 0.19999999999995516, -0.3333333333333333,
)  # fmt: skip
_LOG = (
    1.479819860511658591e-1, 1.531383769920937332e-1, 1.818357216161805012e-1,
    2.222219843214978396e-1, 2.857142874366239149e-1, 3.999999999940941908e-1,
    6.666666666666735130e-1,
)  # fmt: skip
_SIN_SINGLE = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS_SINGLE = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_EXP_SINGLE = (
    1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
    5.0000001201e-1,
)  # fmt: skip
_LOG_SINGLE = (0.24279078841, 0.28498786688, 0.40000972152, 0.66666662693)


class Instructions:
    """Text of instructions on vectors of one width and precision; scalars of width 1."""

    def __init__(self, single: bool, width: int) -> None:
        """Start without instructions."""
        self.single, self.width = single, width
        self.item = "float" if single else "double"
        self.bits = 32 if single else 64
        self.real = self._vector(self.item)
        self.whole = self._vector(f"i{self.bits}")
        self.mask = self._vector("i1")
        self.suffix = (f"v{width}" if width > 1 else "") + f"f{self.bits}"
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self._count = 0
        # 1.5 * 2^52: the integer nearest to a sum with it is in the last bits
        self.shift = 12582912.0 if single else 6755399441055744.0

    def _vector(self, item: str) -> str:
        return item if self.width == 1 else f"<{self.width} x {item}>"

    def emit(self, text: str) -> str:
        """Write an instruction; return the name of its result."""
        self._count += 1
        name = f"%v{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def number(self, x: float) -> str:
        """Write a number, the same in each lane."""
        if self.single:  # written as the double that it is
            x = struct.unpack("<f", struct.pack("<f", x))[0]
        return self._splat(f"{self.item} 0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}")

    def integer(self, x: int) -> str:
        """Write an integer, the same in each lane."""
        return self._splat(f"i{self.bits} {x}")

    def _splat(self, text: str) -> str:
        return text.split()[1] if self.width == 1 else f"splat ({text})"

    def binary(self, operation: str, a: str, b: str) -> str:
        """Write an operation on reals."""
        return self.emit(f"{operation} {FLAGS} {self.real} {a}, {b}")

    def integers(self, operation: str, a: str, b: str) -> str:
        """Write an operation on integers."""
        return self.emit(f"{operation} {self.whole} {a}, {b}")

    def intrinsic(self, name: str, *values: str) -> str:
        """Write a call of one of LLVM's own functions of reals."""
        types = ", ".join([self.real] * len(values))
        self.declarations.add(f"declare {self.real} @llvm.{name}.{self.suffix}({types})")
        arguments = ", ".join(f"{self.real} {value}" for value in values)
        return self.emit(f"call {FLAGS} {self.real} @llvm.{name}.{self.suffix}({arguments})")

    def multiply_add(self, a: str, b: str, c: str) -> str:
        """Write ``a b + c``, fused where the processor can."""
        return self.intrinsic("fmuladd", a, b, c)

    def compare(self, relation: str, a: str, b: str) -> str:
        """Write a comparison, such as ``olt``, that NaN fails."""
        return self.emit(f"fcmp {relation} {self.real} {a}, {b}")

    def select(self, mask: str, a: str, b: str) -> str:
        """Write ``a`` where the mask is set, else ``b``."""
        return self.emit(f"select {self.mask} {mask}, {self.real} {a}, {self.real} {b}")

    def as_integers(self, x: str) -> str:
        """Write the bits of reals as integers."""
        return self.emit(f"bitcast {self.real} {x} to {self.whole}")

    def as_reals(self, x: str) -> str:
        """Write integers as the bits of reals."""
        return self.emit(f"bitcast {self.whole} {x} to {self.real}")

    def polynomial(self, z: str, coefficients: Sequence[float]) -> str:
        """Write a polynomial by Horner's rule, the highest coefficient first."""
        total = self.number(coefficients[0])
        for coefficient in coefficients[1:]:
            total = self.multiply_add(total, z, self.number(coefficient))
        return total

    def nearest(self, x: str) -> str:
        """Write the nearest whole number."""
        shifted = self.binary("fadd", x, self.number(self.shift))
        return self.binary("fsub", shifted, self.number(self.shift))

    def sign(self, x: str) -> str:
        """Write 1, -1, or x where it is 0 or NaN."""
        zero = self.number(0.0)
        below = self.select(self.compare("olt", x, zero), self.number(-1.0), x)
        return self.select(self.compare("ogt", x, zero), self.number(1.0), below)

    def sincos(self, x: str) -> tuple[str, str]:
        """Write sine and cosine: reduced to an eighth turn, swapped and signed by the quadrant."""
        number = self.number
        shifted = self.multiply_add(x, number(0.6366197723675814), number(self.shift))
        k = self.binary("fsub", shifted, number(self.shift))
        quadrant = self.as_integers(shifted)
        parts = (
            (1.5703125, 4.8351287841796875e-4, 3.13855707645416259765625e-7, 6.07710062827671e-11)
            if self.single
            else (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
        )
        r = x
        for part in parts:
            r = self.multiply_add(k, number(-part), r)
        z = self.binary("fmul", r, r)
        s = self.polynomial(z, _SIN_SINGLE if self.single else _SIN)
        s = self.multiply_add(self.binary("fmul", r, z), s, r)
        c = self.polynomial(z, _COS_SINGLE if self.single else _COS)
        half = self.multiply_add(z, number(-0.5), number(1.0))
        c = self.multiply_add(self.binary("fmul", z, z), c, half)
        odd = self.integers("and", quadrant, self.integer(1))
        swapped = self.emit(f"icmp ne {self.whole} {odd}, {self.integer(0)}")
        sine, cosine = self.select(swapped, c, s), self.select(swapped, s, c)
        following = self.integers("add", quadrant, self.integer(1))
        return self._signed(sine, quadrant), self._signed(cosine, following)

    def _signed(self, x: str, quadrant: str) -> str:
        """Write x with its sign changed in the third and fourth quadrant."""
        second = self.integers("and", quadrant, self.integer(2))
        bit = self.integers("shl", second, self.integer(self.bits - 2))
        return self.as_reals(self.integers("xor", self.as_integers(x), bit))

    def exp(self, x: str) -> str:
        """Write the exponential: 2^k in two factors, so that it reaches infinity and 0."""
        number = self.number
        most, zero_below = (120.0, -104.0) if self.single else (1000.0, -745.2)
        x = self.select(self.compare("olt", x, number(-most)), number(-most), x)
        x = self.select(self.compare("ogt", x, number(most)), number(most), x)
        shifted = self.multiply_add(x, number(1.4426950408889634), number(self.shift))
        k = self.binary("fsub", shifted, number(self.shift))
        parts = (
            (0.693359375, -2.12194440e-4)
            if self.single
            else (0.6931471803691238, 1.9082149292705877e-10)
        )
        r = x
        for part in parts:
            r = self.multiply_add(k, number(-part), r)
        p = self.polynomial(r, _EXP_SINGLE if self.single else _EXP)
        p = self.multiply_add(self.binary("fmul", r, r), p, r)
        p = self.binary("fadd", p, number(1.0))
        half = self.multiply_add(k, number(0.5), number(self.shift))
        floor = self.binary("fsub", half, number(self.shift))
        rest = self.binary("fadd", self.binary("fsub", k, floor), number(self.shift))
        first, second = self._power(half), self._power(rest)
        # processors take hundreds of cycles over products that underflow
        second = self.select(self.compare("olt", x, number(zero_below)), number(0.0), second)
        return self.binary("fmul", self.binary("fmul", p, first), second)

    def log(self, x: str) -> str:
        """Write the logarithm of a positive finite number; NaN for others.

        ``x = 2^k (1 + f)`` with ``1 + f`` from sqrt(1/2) to sqrt(2), and ``s = f / (2 + f)``.
        """
        number, integer = self.number, self.integer
        mantissa, bias, root = (
            (23, 128, 0x3F3504F3) if self.single else (52, 1024, 0x3FE6A09E << 32)
        )
        bits = self.as_integers(x)
        biased = self.integers("add", bits, integer((bias << mantissa) - root))
        biased = self.integers("lshr", biased, integer(mantissa))
        power = self.integers("sub", biased, integer(bias))
        rest = self.integers("sub", bits, self.integers("shl", power, integer(mantissa)))
        k = self.integers("add", power, self.as_integers(number(self.shift)))
        k = self.binary("fsub", self.as_reals(k), number(self.shift))
        f = self.binary("fsub", self.as_reals(rest), number(1.0))
        s = self.binary("fdiv", f, self.binary("fadd", f, number(2.0)))
        z = self.binary("fmul", s, s)
        series = self.polynomial(z, _LOG_SINGLE if self.single else _LOG)
        half = self.binary("fmul", self.binary("fmul", f, f), number(0.5))
        series = self.multiply_add(z, series, half)
        high, low = (
            (6.9313812256e-1, 9.0580006145e-6)
            if self.single
            else (6.93147180369123816490e-1, 1.90821492927058770002e-10)
        )
        near = self.multiply_add(k, number(low), self.binary("fmul", s, series))
        near = self.binary("fsub", f, self.binary("fsub", half, near))
        result = self.multiply_add(k, number(high), near)
        none = self.binary("fsub", x, x)  # 0, or NaN of what is not finite
        none = self.select(self.compare("ogt", x, number(0.0)), none, number(math.nan))
        return self.binary("fadd", result, none)

    def _power(self, shifted: str) -> str:
        """Write 2^k of an integer k that has been added to the shift."""
        bias, mantissa = (127, 23) if self.single else (1023, 52)
        exponent = self.integers("add", self.as_integers(shifted), self.integer(bias))
        return self.as_reals(self.integers("shl", exponent, self.integer(mantissa)))

    def atan2(self, y: str, x: str) -> str:
        """Write the angle of a point; 0 at the origin; coordinates are finite, and their sum is.

        The smaller coordinate over the larger, less a turn of 45 degrees above tan(22.5 degrees),
        goes through the polynomial of atan(u)/u.
        """
        number, zero = self.number, self.number(0.0)
        a, b = self.intrinsic("fabs", y), self.intrinsic("fabs", x)
        steep = self.compare("ogt", a, b)
        small, large = self.select(steep, b, a), self.select(steep, a, b)
        tangent = self.binary("fmul", large, number(0.41421356237309503))
        tilted = self.compare("ogt", small, tangent)
        over = self.select(tilted, self.binary("fsub", small, large), small)
        under = self.select(tilted, self.binary("fadd", small, large), large)
        under = self.select(self.compare("oeq", under, zero), number(1.0), under)
        u = self.binary("fdiv", over, under)
        z = self.binary("fmul", u, u)
        r = self.multiply_add(self.binary("fmul", u, z), self.polynomial(z, _ATAN), u)
        turn = self.select(tilted, number(0.7853981633974483), zero)
        upright = self.binary("fsub", number(1.5707963267948966), turn)
        upright = self.binary(
            "fsub", upright, self.binary("fsub", r, number(6.123233995736766e-17))
        )
        r = self.select(steep, upright, self.binary("fadd", turn, r))
        left = self.binary("fsub", r, number(1.2246467991473532e-16))
        left = self.binary("fsub", number(3.141592653589793), left)
        r = self.select(self.compare("olt", x, zero), left, r)
        return self.select(self.compare("olt", y, zero), self.emit(f"fneg {self.real} {r}"), r)
