"""Long verbs of `arena tournament`."""
