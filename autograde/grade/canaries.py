"""Papers whose marks are known, tried before anybody is graded: the reference, the stub, and a few cheats.

Owns the texts of the cheats; runs nothing. Their names begin with an underscore: a cheat that reads a name which an
example of the chapter binds has all examples run, figures too, which takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from autograde.grade.exam import Cell, Exam, Paper, paper_of


class CanaryError(Exception):
    """A paper whose marks are known did not get them: the grader or its environment is at fault."""


EQUAL_TO_ALL = """\
class Same:
    __array_priority__ = 1e9
    shape, dtype, ndim, size = (), float, 0, 1
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __getattr__(self, name): return Same()
    def __call__(self, *a, **k): return self
    def __array__(self, *a, **k): return np.zeros(())
    def __iter__(self): return iter(())
    def __len__(self): return 0
    def __bool__(self): return True
def {name}(*args, **kwargs):
    return Same()
"""
PATCH_CHECKS = """\
import builtins, sys
for _module in (np, np.linalg, builtins):
    for _name in ("allclose", "array_equal", "isclose", "all", "abs", "any"):
        if hasattr(_module, _name):
            setattr(_module, _name, lambda *a, **k: True)
_true = check = hidden = alike = same = lambda *a, **k: True
_frame = sys._getframe()
while _frame:
    _frame.f_globals.update(check=_true, hidden=_true, alike=_true)
    _frame = _frame.f_back
def {name}(*args, **kwargs):
    return None
"""
FORGE_FRAMES = """\
import os
def {name}(*args, **kwargs):
    os.write(3, b"\\xff" * 64)
"""


def canaries(exam: Exam) -> Iterator[tuple[str, Paper, bool]]:
    """(what it is, the paper, whether it must get full marks or nothing)."""
    yield "the reference solution", _paper(exam, exam.references), True
    yield "the untouched chapter", _paper(exam, exam.stubs), False
    cheats = {
        "a cheat that returns an object equal to anything": EQUAL_TO_ALL,
        "a cheat that replaces the comparing functions": PATCH_CHECKS,
        "a cheat that writes to the grader's channel": FORGE_FRAMES,
    }
    for what, code in cheats.items():
        yield what, _paper(exam, {name: code.format(name=name) for name in exam.stubs}), False


def _paper(exam: Exam, answers: Mapping[str, str]) -> Paper:
    examples = [Cell("example", example.source, "example") for example in exam.examples]
    solutions = [Cell(name, source, "solution") for name, source in answers.items()]
    return paper_of([*examples, *solutions])
