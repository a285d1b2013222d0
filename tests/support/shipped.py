"""Shipped robots that tests are asked of; the choice stands here and nowhere else.

A property of numbers (loads, limits, reach, collision pieces, URDF against tables) is asked of
every variant, or of every one with masses where it is one of dynamics. A property of code (writers,
compilers, fits) is asked of the ten variants of :mod:`oracles`, whose builds and sets are all there
are; one that a family's lengths may break, as in other engines, of EXAMPLES: those ten, and of each
other family with masses the variant that its name stands for.
"""

from functools import partial

import oracles
from grouped import per_family

import irbmodels as irb

ALL = irb.robots()
FAMILY = {name: irb.describe(name).family for name in ALL}
FAMILIES = tuple(dict.fromkeys(FAMILY.values()))
of_variants = partial(per_family, family=FAMILY.__getitem__)
"""Makes a test of a variant's name into one test a family."""
MASSES_UNKNOWN = (
    *("irb1100_4_475", "irb1100_4_58", "irb1300_7_140", "irb1300_10_115", "irb1300_11_90"),
    *("irb1410_5_144", "irb7600_340_280", "irb7600_400_255", "irb7600_500_255"),
    *("irb2600_12_185", "irb6620_150_220", "irb6660_130_310", "irb6660_205_190"),
    *("irb6700_150_320", "irb6700_155_285"),
    *("irb6700_175_305", "irb6700_205_280", "irb910sc_3_45", "irb910sc_3_55", "irb910sc_3_65"),
    *("irb260_30_150", "irb460_110_240", "irb660_180_315", "irb660_250_315", "irb760_450_320"),
    *("irb14000_left", "irb14000_right", "irb8700_800_350", "irb8700_550_420"),
)
WEIGHED = tuple(name for name in ALL if name not in MASSES_UNKNOWN)
EXAMPLES = (
    *oracles.NAMES,
    *(
        name
        for name in (irb.aliases().get(family, family) for family in FAMILIES)
        if name in WEIGHED and name not in oracles.NAMES
    ),
)
