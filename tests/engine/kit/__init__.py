"""Tests of `engine.kit`."""
