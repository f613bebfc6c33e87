"""Any inbox -> one normalised submission for each student.

Owns who is who and what counts as an answer; never writes to an inbox and never runs a learner's code. Start
reading in `collect.py`.
"""
