"""The verbs of `arena owner` that are longer than a few lines."""
