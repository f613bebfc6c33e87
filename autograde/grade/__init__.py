"""(submission, tests, environment) -> verdict, for one submission or a class of any size.

Owns the judging and the cache of verdicts; never touches the gradebook or a submission. Start reading in
`grade.py` for a class, in `judge.py` for one submission.
"""
