"""Texts that Hypothesis makes up."""

from hypothesis import strategies as st

CHARACTERS = st.characters(exclude_categories=["Cs"])
"""All that can be encoded: what Hypothesis takes, too, but it tries to encode each at first, in 200 MB and a second."""
