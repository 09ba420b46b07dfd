"""Tests of `arena.rpc`."""
