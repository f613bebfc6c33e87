"""Sources -> chapters -> pages.

Owns the form of a chapter's source and everything that is built from it; never touches a submission. Start
reading in `release.py`.
"""
