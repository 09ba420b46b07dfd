"""Tests of the wire contract: its style, its frozen listing and the generated code."""
