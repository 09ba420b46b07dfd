"""The verbs of `arena cluster`."""
