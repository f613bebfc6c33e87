"""What a test run prints besides its dots: the counts of the checks, an exercise a line."""

from __future__ import annotations


def pytest_terminal_summary(terminalreporter):
    reports = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    lines = sorted(
        str(value)
        for report in reports
        for key, value in getattr(report, "user_properties", [])
        if key == "counts"
    )
    if lines:
        terminalreporter.section("answers of the catalogue")
        terminalreporter.write("\n".join(dict.fromkeys(lines)) + "\n")
