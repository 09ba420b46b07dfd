"""What `arena doctor` does besides looking at this machine."""
