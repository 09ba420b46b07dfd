"""What may be asked of an arena, and by whom: use cases over a database, rights, visibility. Never imports gRPC."""
