"""Tests of `ratings.read`."""
