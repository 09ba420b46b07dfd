"""Tests of `arena.client`."""
