"""``python -m autograde``."""

import os
import sys

os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # read when NumPy is loaded; the matrices are small

from autograde.cli import main

sys.exit(main())
