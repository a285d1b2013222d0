"""Sine, cosine, exponential and sign that LLVM turns into SIMD loops, double and single.

At most 2.5 units in the last place for |x| up to 1e4 (single: 4 pi). NaN stays NaN, and the sine of
infinity is NaN.

Ranges are reduced with constants in several parts (Cody & Waite); the polynomials of sine and
cosine are those of Cephes [Moshier 1989], the one of the exponential interpolates at Chebyshev
nodes. ``fastmath=True`` would fold the parts together and lose NaN: FLAGS keeps both.
"""

# mypy: ignore-errors
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

FLAGS = {"contract", "arcp", "nsz"}
inline = njit(inline="always", fastmath=FLAGS)
F = np.float32


@intrinsic
def assume_noalias(typingctx):
    """Promise that the arrays given to the calling function do not overlap, and align its stack.

    Without the promise LLVM compares all pointers, or gives up; without the alignment, spilled
    vectors straddle cache lines, which costs a quarter of the time.
    """

    def codegen(context, builder, signature, arguments):
        function = builder.function
        function.attributes.alignstack = 64
        function.attributes.add("nounwind")  # llvmlite writes no attributes where this set is empty
        for argument in function.args:
            if isinstance(argument.type, ir.PointerType) and isinstance(
                argument.type.pointee, ir.DoubleType | ir.FloatType
            ):
                argument.attributes.add("noalias")
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def at(typingctx, address, number, like):
    """Return an entry of an array given by its address, of the type of ``like``.

    An array costs a call 30 ns, an address none.
    """

    def codegen(context, builder, signature, arguments):
        pointer = builder.inttoptr(
            arguments[0], context.get_data_type(signature.return_type).as_pointer()
        )
        return builder.load(builder.gep(pointer, [arguments[1]]))

    return like(types.uint64, types.uint64, like), codegen


@intrinsic
def transpose(typingctx, source, places, first, length, column, target, offset, stride):
    """Transpose a tile of eight rows and columns into a vector.

    Column ``number`` is written from ``offset + stride * number`` on.
    The rows are ``places[first : first + 8]`` of a flat matrix whose rows have ``length`` entries.
    Loops over results with more than eight columns would become scatters, which take ten times as
    long.
    """

    def codegen(context, builder, signature, arguments):
        kind = signature.args[0]
        item = context.get_data_type(kind.dtype)
        vector = ir.VectorType(item, 8)
        matrix, numbers, flat = (
            context.make_array(signature.args[i])(context, builder, arguments[i]) for i in (0, 1, 5)
        )
        _, _, start, length, begin, _, behind, step = arguments

        def at(data, index):
            return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())

        rows = []
        for i in range(8):
            row = builder.load(
                builder.gep(numbers.data, [builder.add(start, ir.Constant(ir.IntType(64), i))])
            )
            loaded = builder.load(
                at(matrix.data, builder.add(builder.mul(row, length), begin)),
                align=kind.dtype.bitwidth // 8,
            )
            rows.append(loaded)
        for s in (1, 2, 4):  # swap the blocks beside the diagonal, of ever larger size
            low = ir.Constant(
                ir.VectorType(ir.IntType(32), 8), [e if not e & s else 8 + e - s for e in range(8)]
            )
            high = ir.Constant(
                ir.VectorType(ir.IntType(32), 8), [e + s if not e & s else 8 + e for e in range(8)]
            )
            pairs = {i: (rows[i & ~s], rows[i | s]) for i in range(8)}
            rows = [builder.shuffle_vector(*pairs[i], high if i & s else low) for i in range(8)]
        for i, row in enumerate(rows):
            place = builder.add(behind, builder.mul(step, ir.Constant(ir.IntType(64), i)))
            builder.store(row, at(flat.data, place), align=kind.dtype.bitwidth // 8)
        return context.get_dummy_value()

    return types.void(
        source, places, types.uint64, types.uint64, types.uint64, target, types.uint64, types.uint64
    ), codegen


@inline
def sincos(x):
    """Sine and cosine: reduced to an eighth turn, swapped and signed by the quadrant's bits."""
    # 1.5 * 2^52 leaves the integer in the last bits
    shifted = x * 0.6366197723675814 + 6755399441055744.0
    k = shifted - 6755399441055744.0
    bits = np.float64(shifted).view(np.int64)
    r = ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21
    z = r * r
    s = 1.58962301576546568060e-10 * z - 2.50507477628578072866e-8
    s = (
        (s * z + 2.75573136213857245213e-6) * z - 1.98412698295895385996e-4
    ) * z + 8.33333333332211858878e-3
    s = r + r * z * (s * z - 1.66666666666666307295e-1)
    c = -1.13585365213876817300e-11 * z + 2.08757008419747316778e-9
    c = (
        (c * z - 2.75573141792967388112e-7) * z + 2.48015872888517045348e-5
    ) * z - 1.38888888888730564116e-3
    c = 1.0 - (0.5 * z - z * z * (c * z + 4.16666666666665929218e-2))
    swapped = (bits & 1) != 0
    sine = np.float64(c if swapped else s).view(np.int64) ^ ((bits & 2) << 62)
    cosine = np.float64(s if swapped else c).view(np.int64) ^ (((bits + 1) & 2) << 62)
    return np.int64(sine).view(np.float64), np.int64(cosine).view(np.float64)


@inline
def exp(x):
    """Exponential: 2^k in two factors, so that results beyond the range become infinity or 0."""
    x = -1000.0 if x < -1000.0 else x
    x = 1000.0 if x > 1000.0 else x
    k = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0
    r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    p = (2.510038549551032e-08 * r + 2.7620088445409746e-07) * r + 2.7557268459997064e-06
    p = ((p * r + 2.4801521295954376e-05) * r + 0.00019841269863053618) * r + 0.0013888888917213717
    p = ((p * r + 0.008333333333330062) * r + 0.04166666666662413) * r + 0.16666666666666669
    p = 1.0 + (r + r * r * (p * r + 0.5000000000000001))
    half = k * 0.5 + 6755399441055744.0
    rest = (k - (half - 6755399441055744.0)) + 6755399441055744.0
    first = np.int64((np.float64(half).view(np.int64) + 1023) << 52).view(np.float64)
    second = np.int64((np.float64(rest).view(np.int64) + 1023) << 52).view(np.float64)
    # processors take hundreds of cycles over products that underflow
    second = 0.0 if x < -745.2 else second
    return p * first * second


@inline
def sign(x):
    """1, -1, or x where it is 0 or NaN."""
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x)


@inline
def sincos32(x):
    """Sine and cosine in single precision."""
    shifted = x * F(0.63661975) + F(12582912.0)
    k = shifted - F(12582912.0)
    bits = np.float32(shifted).view(np.int32)
    r = (
        ((x - k * F(1.5703125)) - k * F(4.8351287841796875e-4))
        - k * F(3.13855707645416259765625e-7)
        - k * F(6.07710062827671e-11)
    )
    z = r * r
    s = r + r * z * ((F(-1.9515295891e-4) * z + F(8.3321608736e-3)) * z - F(1.6666654611e-1))
    c = (F(2.443315711809948e-5) * z - F(1.388731625493765e-3)) * z + F(4.166664568298827e-2)
    c = F(1.0) - (F(0.5) * z - z * z * c)
    swapped = (bits & np.int32(1)) != np.int32(0)
    sine = np.float32(c if swapped else s).view(np.int32) ^ np.int32(
        (bits & np.int32(2)) << np.int32(30)
    )
    cosine = np.float32(s if swapped else c).view(np.int32) ^ np.int32(
        ((bits + np.int32(1)) & np.int32(2)) << np.int32(30)
    )
    return np.int32(sine).view(np.float32), np.int32(cosine).view(np.float32)


@inline
def exp32(x):
    """Exponential in single precision."""
    x = F(-120.0) if x < F(-120.0) else x
    x = F(120.0) if x > F(120.0) else x
    k = (x * F(1.44269504) + F(12582912.0)) - F(12582912.0)
    r = (x - k * F(0.693359375)) - k * F(-2.12194440e-4)
    p = ((F(1.9875691500e-4) * r + F(1.3981999507e-3)) * r + F(8.3334519073e-3)) * r + F(
        4.1665795894e-2
    )
    p = F(1.0) + (r + r * r * ((p * r + F(1.6666665459e-1)) * r + F(5.0000001201e-1)))
    half = k * F(0.5) + F(12582912.0)
    rest = (k - (half - F(12582912.0))) + F(12582912.0)
    first = np.int32((np.float32(half).view(np.int32) + np.int32(127)) << np.int32(23)).view(
        np.float32
    )
    second = np.int32((np.float32(rest).view(np.int32) + np.int32(127)) << np.int32(23)).view(
        np.float32
    )
    second = F(0.0) if x < F(-104.0) else second
    return p * first * second


@inline
def sign32(x):
    """1, -1, or x where it is 0 or NaN, in single precision."""
    return F(1.0) if x > F(0.0) else (F(-1.0) if x < F(0.0) else x)
