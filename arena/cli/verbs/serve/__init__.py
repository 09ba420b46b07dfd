"""What `arena serve` is made of besides its command."""
