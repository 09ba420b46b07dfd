"""Tests of `ratings.statistics.official`."""
