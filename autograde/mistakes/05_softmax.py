"""Chapter 5."""

CATALOGUE = []
