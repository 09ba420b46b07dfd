"""Tests that run the whole arena as its users do, with real processes."""
