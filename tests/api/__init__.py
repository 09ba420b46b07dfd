"""The arena for notebooks and scripts."""
