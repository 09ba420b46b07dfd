"""Tests of `arena.hosting.sandbox`."""
