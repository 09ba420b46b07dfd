"""The interface over a service: calls by gRPC, certificates, and what its errors mean. It never imports a database."""
