"""Tests of `ratings.statistics`."""
