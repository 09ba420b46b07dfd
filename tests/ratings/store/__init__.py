"""Tests of `ratings.store`."""
