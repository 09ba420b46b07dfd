"""Tests of `arena.referee`."""
