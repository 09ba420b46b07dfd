"""Archives of bots for the way from their authors to a store: packed, checked, unpacked; no network, no database."""
