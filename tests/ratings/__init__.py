"""Tests of `ratings`."""
