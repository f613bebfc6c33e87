"""Running a chapter's notebook with its reference solutions, and what its outputs must be like.

Owns the kernel of the build and the form of outputs: figures with alternative text, drawings with their first
picture. Starts one kernel for a chapter; writes no file.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from nbformat import NotebookNode

from autograde.build.drawing import draw_first
from autograde.build.source import describe
from autograde.errors import CourseError

CELL_SECONDS = 120
EQUATION = re.compile(r"#.*\((?:\d+|P)\.\d+\)")  # a comment that says which equation is computed
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def execute(notebook: NotebookNode, path: Path) -> None:
    """Run every cell in a fresh kernel and keep the outputs.

    Raises CourseError if a cell raises, warns, or shows a figure without alternative text.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            resources={"metadata": {"path": folder}},
            record_timing=False,
            extra_arguments=["--IPKernelApp.log_level=40"],  # its notice about TCP is no news
        )
        try:
            client.execute(env=surroundings())
        except (CellExecutionError, CellTimeoutError) as error:
            cell, index = next(
                (c, i)
                for i, c in reversed(list(enumerate(notebook.cells)))
                if c.cell_type == "code" and (c.execution_count or c.outputs)
            )
            fault = ANSI.sub("", str(error).strip().splitlines()[-1])
            raise CourseError(
                f"{path}, {named(cell, index)}",
                f"it raises: {fault}",
                "Run the cell in Jupyter and correct it.",
            ) from error
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            clean_outputs(cell, f"{path}, {named(cell, index)}")


def surroundings() -> dict[str, str]:
    """The environment of a kernel: the same for everybody, and with Python's own warnings."""
    ours = {"OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    return {k: v for k, v in os.environ.items() if k != "PYTHONWARNINGS"} | ours


def named(cell: NotebookNode, index: int) -> str:
    """A built cell in words."""
    return str(cell.metadata.get("nbgrader", {}).get("grade_id") or describe(cell, index))


def clean_outputs(cell: NotebookNode, where: str) -> None:
    """Refuse what must not stand in the book; put the figure's alternative text where myst-nb reads it."""
    cell.metadata.pop("execution", None)
    cell.outputs = joined(cell.outputs)
    tags = cell.metadata.get("tags", [])
    pictures = []
    for output in cell.outputs:
        if output.get("name") == "stderr":
            raise CourseError(
                where,
                f"it writes to stderr: {output.text.strip()[:200]}",
                "Remove the cause of the warning.",
            )
        data = output.get("data", {})
        if "image/png" in data or "image/svg+xml" in data:
            pictures.append(output.get("metadata", {}).get("image/png", {}).get("alt", ""))
        if 'class="touch"' in data.get("text/html", ""):
            if "touch" not in tags:
                raise CourseError(where, "it shows a drawing with sliders.", "Tag it `touch`.")
            data["text/html"] = draw_first(data["text/html"], where)
    if "yours" in tags and any("This cell runs on" in o.get("text", "") for o in cell.outputs):
        raise CourseError(
            where, f"it does not run: {cell.outputs[0].text.strip()}", "Correct its function."
        )
    if any(len(alt) < 20 for alt in pictures):
        raise CourseError(
            where,
            "a figure has no alternative text.",
            'Show it with show(fig, alt="what it shows, in words").',
        )
    if len(pictures) > 1:
        raise CourseError(where, "it shows two figures.", "Give each figure a cell of its own.")
    if pictures and not EQUATION.search(cell.source) and not {"figure", "yours"} & set(tags):
        cell.metadata["tags"] = [*tags, "figure"]
    if pictures:
        cell.metadata["mystnb"] = {"image": {"alt": pictures[0]}}


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Outputs with the pieces of one stream put together; how a kernel cuts them is chance."""
    whole: list[NotebookNode] = []
    for output in outputs:
        name = output.get("name")
        if name and whole and whole[-1].get("name") == name:
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole
