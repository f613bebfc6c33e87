"""What isolates learners' code from the grader: processes, limits, and the form of what crosses.

Owns the processes it starts; knows nothing of notebooks, tests or points. `inside/` is the only folder that is
visible within. Start reading in `sandbox.py`.
"""
