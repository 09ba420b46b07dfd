"""Every reader of /proc: which processes there are, what they use, how long they wait. It signals and ends none."""
