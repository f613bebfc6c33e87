"""Measurements: the grader beside stock nbgrader, on the same submissions."""
