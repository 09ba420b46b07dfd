"""The checks of the tree: what its files import, define and document, read once and asked of in many ways."""
