"""Settings of the course. nbgrader reads this file when it is run in this folder."""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821  (nbgrader defines it)

# --------------------------------------------------------------------------- yours to change
# The time zone of the course. Deadlines below, and every time stamp that names no zone, are read in it.
TIME_ZONE = "UTC"  # for example "Europe/Berlin"

# The last moment at which a chapter counts as on time, in the course's time zone.
c.Course.deadlines = {
    # "03_scores": "2026-10-12 23:59",
}

# What a late submission loses: "none" (nothing, it is only marked) or "zero" (everything).
c.LateSubmissionPlugin.penalty_method = "none"

# What one submission may use in `python -m autograde grade`; the defaults stand in autograde/settings.py, class Limits.
# c.Limits.question_seconds = 5.0
# c.Limits.memory = 1 << 30

# Seconds that one cell may take in `nbgrader autograde`.
c.ExecutePreprocessor.timeout = 60

# --------------------------------------------------------------------------- how the chapters are built
sys.path.append(str(Path(__file__).resolve().parents[2]))  # the checkout
from autograde.nbgrader_bridge import nbgrader_config  # noqa: E402

c.merge(nbgrader_config(Path.cwd()))
c.Exchange.timezone = TIME_ZONE
c.NbGraderAPI.timezone = TIME_ZONE
c.OverwriteCells.add_missing_cells = True  # a test cell that a learner deleted comes back
os.environ.setdefault("PYTHONWARNINGS", "ignore")  # nbgrader takes a warning for a failed test
