"""The interface over a database on this machine; it decides what a viewer may see. It never imports gRPC."""
