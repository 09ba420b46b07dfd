"""Admission: the checks that a version must pass before it plays rated matches, each with a finding for its author."""
