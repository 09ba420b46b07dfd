"""What `arena match` prints about a match."""
