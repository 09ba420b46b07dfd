"""Tests of `arena.hosting.launcher`."""
