"""What is removed from a home by age and size, and what the disk will hold. No sockets, no playing."""
