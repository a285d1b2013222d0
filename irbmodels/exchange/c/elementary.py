"""Elementary functions in C99 without libm, those of the kernels with masks in place of choices."""

from __future__ import annotations

from collections.abc import Iterable

from ...compiled.program import Program
from .writer import Dialect, replace_words


def preamble(dialect: Dialect) -> str:
    """Return preprocessor checks that refuse options which change the arithmetic."""
    return f"""\
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)
#error "compile without -ffast-math and its like: they break the range reduction of sine and cosine, and lose NaN"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "compile without -ffinite-math-only: NaN must stay NaN"
#endif
#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "{dialect.real} must be computed as {dialect.real}: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif
"""


def helpers_text(programs: Iterable[Program], dialect: Dialect) -> str:
    """Return the helper functions that programs call."""
    used = {step.operation for program in programs for step in program.steps}
    if "sqrt" in used:
        used |= {"exp", "log"}
    parts = [_UNION] if used & {"sin", "cos", "exp", "log", "sign"} else []
    if used & {"sin", "cos"}:
        parts.append(_TURNED_SINGLE if dialect.single else _TURNED)
    if used & {"exp", "log"}:
        parts.append(_CHOSEN)
    if "exp" in used:
        parts.append(_EXPONENTIAL_SINGLE if dialect.single else _EXPONENTIAL)
    if "log" in used:
        parts.append(_LOGARITHM_SINGLE if dialect.single else _LOGARITHM)
    if "sign" in used:
        parts.append(_SIGN)
    if "abs" in used:
        parts.append(_MAGNITUDE)
    words = {
        "REAL": dialect.real,
        "WORD": "uint32_t" if dialect.single else "uint64_t",
        "HELPER ": dialect.helper,
    }
    words |= {
        "TOP": "31" if dialect.single else "63",
        "ONE": dialect.number(1.0),
        "ZERO": dialect.number(0.0),
    }
    return replace_words("\n".join(parts), words)


_UNION = """\
union word {
    REAL real;
    WORD bits;
};
"""

_TURNED = """\
struct turn {
    REAL sin, cos;
};

/* Within 2.5 units in the last place for |x| <= 1e4; NaN for NaN and infinity. Turns to the nearest multiple of a right angle
   (constant in three parts, Cody & Waite; polynomials of Cephes), then swaps and changes signs by its last two bits. */
HELPER struct turn turned(REAL x)
{
    const union word nearest = {x * 0.6366197723675814 + 6755399441055744.0}; /* 1.5 * 2^52 leaves an integer in the last bits */
    const double k = nearest.real - 6755399441055744.0;
    const double r = ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21;
    const double z = r * r;
    const double s2 = 1.58962301576546568060e-10 * z - 2.50507477628578072866e-8;
    const double s1 = ((s2 * z + 2.75573136213857245213e-6) * z - 1.98412698295895385996e-4) * z + 8.33333333332211858878e-3;
    const union word s = {r + r * z * (s1 * z - 1.66666666666666307295e-1)};
    const double c2 = -1.13585365213876817300e-11 * z + 2.08757008419747316778e-9;
    const double c1 = ((c2 * z - 2.75573141792967388112e-7) * z + 2.48015872888517045348e-5) * z - 1.38888888888730564116e-3;
    const union word c = {1.0 - (0.5 * z - z * z * (c1 * z + 4.16666666666665929218e-2))};
    const uint64_t odd = (uint64_t)0 - (nearest.bits & 1u);
    union word sine, cosine;
    struct turn result;
    sine.bits = ((c.bits & odd) | (s.bits & ~odd)) ^ ((nearest.bits & 2u) << 62);
    cosine.bits = ((s.bits & odd) | (c.bits & ~odd)) ^ (((nearest.bits + 1u) & 2u) << 62);
    result.sin = sine.real;
    result.cos = cosine.real;
    return result;
}
"""

_TURNED_SINGLE = """\
struct turn {
    REAL sin, cos;
};

/* Within 2.5 units in the last place for |x| <= 4 pi; NaN for NaN and infinity. Turns to the nearest multiple of a right angle
   (constant in four parts, Cody & Waite; polynomials of Cephes), then swaps and changes signs by its last two bits. */
HELPER struct turn turned(REAL x)
{
    const union word nearest = {x * 0.63661975f + 12582912.0f}; /* 1.5 * 2^23 leaves an integer in the last bits */
    const float k = nearest.real - 12582912.0f;
    const float near = (x - k * 1.5703125f) - k * 4.8351287841796875e-4f;
    const float r = (near - k * 3.13855707645416259765625e-7f) - k * 6.077100628276710e-11f;
    const float z = r * r;
    const union word s = {r + r * z * ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f)};
    const float c1 = (2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f;
    const union word c = {1.0f - (0.5f * z - z * z * c1)};
    const uint32_t odd = (uint32_t)0 - (nearest.bits & 1u);
    union word sine, cosine;
    struct turn result;
    sine.bits = ((c.bits & odd) | (s.bits & ~odd)) ^ ((nearest.bits & 2u) << 30);
    cosine.bits = ((s.bits & odd) | (c.bits & ~odd)) ^ (((nearest.bits + 1u) & 2u) << 30);
    result.sin = sine.real;
    result.cos = cosine.real;
    return result;
}
"""

_CHOSEN = """\
HELPER REAL chosen(int which, REAL yes, REAL no)
{
    const WORD mask = (WORD)0 - (WORD)which;
    const union word a = {yes}, b = {no};
    union word result;
    result.bits = (a.bits & mask) | (b.bits & ~mask);
    return result.real;
}
"""

_EXPONENTIAL = """\
/* Within 2.5 units in the last place; 2^k in two halves, so that results beyond the range become infinity or fade to 0. */
HELPER REAL exponential(REAL given)
{
    const double low = chosen(given < -1000.0, -1000.0, given);
    const double x = chosen(low > 1000.0, 1000.0, low);
    const double k = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0;
    const double r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
    const double p3 = (2.510038549551032e-08 * r + 2.7620088445409746e-07) * r + 2.7557268459997064e-06;
    const double p2 = ((p3 * r + 2.4801521295954376e-05) * r + 0.00019841269863053618) * r + 0.0013888888917213717;
    const double p1 = ((p2 * r + 0.008333333333330062) * r + 0.04166666666662413) * r + 0.16666666666666669;
    const double p = 1.0 + (r + r * r * (p1 * r + 0.5000000000000001));
    const union word half = {k * 0.5 + 6755399441055744.0};
    const union word rest = {(k - (half.real - 6755399441055744.0)) + 6755399441055744.0};
    union word first, second;
    first.bits = (half.bits + 1023u) << 52;
    second.bits = (rest.bits + 1023u) << 52;
    return p * first.real * chosen(x < -745.2, 0.0, second.real); /* products that underflow take some processors long */
}
"""

_EXPONENTIAL_SINGLE = """\
/* Within 2.5 units in the last place; 2^k in two halves, so that results beyond the range become infinity or fade to 0. */
HELPER REAL exponential(REAL given)
{
    const float low = chosen(given < -120.0f, -120.0f, given);
    const float x = chosen(low > 120.0f, 120.0f, low);
    const float k = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
    const float r = (x - k * 0.693359375f) - k * -2.12194440e-4f;
    const float p2 = ((1.9875691500e-4f * r + 1.3981999507e-3f) * r + 8.3334519073e-3f) * r + 4.1665795894e-2f;
    const float p = 1.0f + (r + r * r * ((p2 * r + 1.6666665459e-1f) * r + 5.0000001201e-1f));
    const union word half = {k * 0.5f + 12582912.0f};
    const union word rest = {(k - (half.real - 12582912.0f)) + 12582912.0f};
    union word first, second;
    first.bits = (half.bits + 127u) << 23;
    second.bits = (rest.bits + 127u) << 23;
    return p * first.real * chosen(x < -104.0f, 0.0f, second.real); /* products that underflow take some processors long */
}
"""

_LOGARITHM = """\
/* Within 2.5 units in the last place for positive finite numbers, NaN of others. x = 2^k (1 + f) with 1 + f from sqrt(1/2) to
   sqrt(2), s = f / (2 + f); polynomial of fdlibm. */
HELPER REAL logarithm(REAL given)
{
    const union word x = {given};
    const uint64_t power = ((x.bits + 0x00195f6200000000u) >> 52) - 1024u;
    const union word shifted = {6755399441055744.0};
    union word whole, rest;
    whole.bits = shifted.bits + power;
    rest.bits = x.bits - (power << 52);
    const double k = whole.real - 6755399441055744.0;
    const double f = rest.real - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    const double p3 = (1.479819860511658591e-1 * z + 1.531383769920937332e-1) * z + 1.818357216161805012e-1;
    const double p1 = ((p3 * z + 2.222219843214978396e-1) * z + 2.857142874366239149e-1) * z + 3.999999999940941908e-1;
    const double half = 0.5 * f * f;
    const double series = (p1 * z + 6.666666666666735130e-1) * z + half;
    const double near = f - (half - (s * series + k * 1.90821492927058770002e-10));
    const double none = given - given;
    return k * 6.93147180369123816490e-1 + near + chosen(given > 0.0, none, none / none);
}
"""

_LOGARITHM_SINGLE = """\
/* Within 2.5 units in the last place for positive finite numbers, NaN of others. x = 2^k (1 + f) with 1 + f from sqrt(1/2) to
   sqrt(2), s = f / (2 + f); polynomial of fdlibm. */
HELPER REAL logarithm(REAL given)
{
    const union word x = {given};
    const uint32_t power = ((x.bits + 0x00cafb0du) >> 23) - 128u;
    const union word shifted = {12582912.0f};
    union word whole, rest;
    whole.bits = shifted.bits + power;
    rest.bits = x.bits - (power << 23);
    const float k = whole.real - 12582912.0f;
    const float f = rest.real - 1.0f;
    const float s = f / (2.0f + f);
    const float z = s * s;
    const float half = 0.5f * f * f;
    const float p = ((0.24279078841f * z + 0.28498786688f) * z + 0.40000972152f) * z + 0.66666662693f;
    const float near = f - (half - (s * (p * z + half) + k * 9.0580006145e-6f));
    const float none = given - given;
    return k * 6.9313812256e-1f + near + chosen(given > 0.0f, none, none / none);
}
"""

_SIGN = """\
/* 1, -1, or x where it is 0 or NaN. */
HELPER REAL sign_of(REAL x)
{
    const union word given = {x}, one = {ONE};
    const WORD moves = (WORD)0 - (WORD)((x < ZERO) | (x > ZERO));
    union word result;
    result.bits = (given.bits & ~(moves >> 1)) | (one.bits & moves);
    return result.real;
}
"""

_MAGNITUDE = """\
HELPER REAL magnitude(REAL x)
{
    return x < ZERO ? -x : x;
}
"""
