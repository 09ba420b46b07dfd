"""Tools of those who work on the arena: what they make is committed. Nothing of the product needs them."""
