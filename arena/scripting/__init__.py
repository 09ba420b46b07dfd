"""What `arena.api` is made of: bots from callables, tournaments played from a program, tables as values."""
