"""Tests of `ratings.statistics.compare`."""
