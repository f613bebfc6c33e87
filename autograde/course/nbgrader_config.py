"""Settings of the course. nbgrader reads this file when it is run in this folder.

The first block is yours to change. The second makes nbgrader agree with the way the chapters are built.
"""

import sys
from pathlib import Path

from nbgrader.converters import GenerateAssignment
from nbgrader.preprocessors import ClearOutput

c = get_config()  # noqa: F821  (nbgrader defines it)

# --------------------------------------------------------------------------- yours to change
# The time zone of the course. Deadlines below, and every time stamp that names no zone, are read in it.
TIME_ZONE = "UTC"  # for example "Europe/Berlin"

# The last moment at which a chapter counts as on time, in the course's time zone.
c.Course.deadlines = {
    # "03_scores": "2026-10-12 23:59",
}

# What a late submission loses: "none" (nothing, only marked) or "zero" (everything).
c.LateSubmissionPlugin.penalty_method = "none"

# --------------------------------------------------------------------------- how the chapters are built
c.Exchange.timezone = TIME_ZONE
c.NbGraderAPI.timezone = TIME_ZONE

# The outputs of the reference run stay in the released chapter: all of nbgrader's steps but ClearOutput.
c.GenerateAssignment.preprocessors = [
    step for step in GenerateAssignment().preprocessors if step is not ClearOutput
]
c.ClearSolutions.code_stub = {"python": "raise NotImplementedError"}

# A test cell that a learner deleted comes back.
c.OverwriteCells.add_missing_cells = True

# Seconds one cell may take in `nbgrader autograde`.
c.ExecutePreprocessor.timeout = 60
