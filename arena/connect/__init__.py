"""The bridge by which a bot on its author's machine plays on a service: local processes, one stream to PlayService."""
