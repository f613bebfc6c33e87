"""Verdicts -> marks: the gradebook, the audit log, feedback, exports, and the comparison of all of them.

Owns everything that is written after grading; never runs a learner's code and never judges. Start reading in
`record.py`.
"""
