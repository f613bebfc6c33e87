"""What a test run prints besides its dots: the counts of the checks, and the table of imports."""

from __future__ import annotations


def pytest_terminal_summary(terminalreporter):
    reports = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    for kind, title in (("counts", "answers of the catalogue"), ("table", "the house")):
        lines = sorted(
            str(value)
            for report in reports
            for key, value in getattr(report, "user_properties", [])
            if key == kind
        )
        if lines:
            terminalreporter.section(title)
            terminalreporter.write("\n".join(dict.fromkeys(lines)) + "\n")
