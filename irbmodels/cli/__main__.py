"""Run by ``python -m irbmodels.cli``."""

import sys

from . import main

sys.exit(main())
