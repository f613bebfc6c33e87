"""The sample class, and the whole loop on it: invented people, their answers, and what nbgrader alone makes of them.

Owns what a demonstration needs; nothing that a real course uses imports it. Start reading in `loop.py`.
"""
