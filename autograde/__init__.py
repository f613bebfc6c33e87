"""Build, check and grade the chapters of the course; ``python -m autograde --help`` lists the verbs."""
