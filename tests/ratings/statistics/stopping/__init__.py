"""Tests of `ratings.statistics.stopping`."""
