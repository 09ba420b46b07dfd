"""Tests of `ratings.statistics.fairplay`."""
