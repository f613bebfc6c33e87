"""What this course tells nbgrader, and the one way it is run: its settings, and `generate_assignment`.

Owns the settings that nbgrader needs to cut a chapter; writes nothing itself. Importing this module is cheap: the
settings file of the course does it at each start, so nbgrader is imported where it is used.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from autograde.errors import CourseError
from autograde.layout import ROOT, Layout
from autograde.settings import CONFIG

if TYPE_CHECKING:
    from traitlets.config import Config

STUB = "raise NotImplementedError"
"""What stands in a learner's cell where the solution was."""


def nbgrader_config(course: Path) -> Config:
    """nbgrader's settings for a course folder: what a stub says, and that reference outputs stay."""
    from traitlets.config import Config

    config = Config()
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.db_url = f"sqlite:///{course / 'gradebook.db'}"
    config.ClearSolutions.code_stub = {"python": STUB}
    # learners see, below the stub, what the right answer gives
    config.GenerateAssignment.NotebookExporter.ClearOutput.enabled = False
    return config


def generate_assignment(name: str, course: Path) -> None:
    """Cut the learner's version of `source/NAME/NAME.ipynb` in a course folder into its `release/`.

    Raises CourseError with nbgrader's own words if it refuses the notebook.
    """
    from nbgrader.apps import NbGraderAPI

    find_alembic()
    report = NbGraderAPI(config=nbgrader_config(course)).generate_assignment(name, force=True)
    if not report["success"]:
        raise CourseError(
            name,
            f"nbgrader refuses it:\n{report.get('log', report.get('error'))}",
            "Correct the cell it names in solutions/*.md and run `make notebooks`.",
        )


def find_alembic() -> None:
    """Make nbgrader find `alembic`, which it starts by its bare name; it lies beside this Python."""
    beside = str(Path(sys.executable).parent)
    if beside not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([beside, os.environ.get("PATH", "")])


def ready(layout: Layout) -> None:
    """Make sure that the course folder exists and holds nbgrader's settings."""
    settings = layout.course / CONFIG
    if not settings.exists():
        layout.course.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Layout(ROOT).course / CONFIG, settings)
