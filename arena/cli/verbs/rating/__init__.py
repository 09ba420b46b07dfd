"""Long verbs of `arena rating`."""
