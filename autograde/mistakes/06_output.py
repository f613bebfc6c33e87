"""Chapter 6."""

CATALOGUE = []
