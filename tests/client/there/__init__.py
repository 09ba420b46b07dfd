"""Tests of `arena.client.there`."""
