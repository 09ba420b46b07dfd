"""What `arena serve` is made of: settings, slots, ladders, the owners' services. No rules of a game, no SQL."""
