"""Tests of `arena bot conform`: that every rule is found where it is broken, and not where it is kept."""
