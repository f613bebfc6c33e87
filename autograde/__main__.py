"""``python -m autograde``."""

import os
import sys

# It is read when NumPy is loaded, and small matrices are slower with more.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from autograde.cli import main

sys.exit(main())
