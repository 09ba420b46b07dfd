"""All that reads /proc: which processes there are, what they use, how long they wait. It never signals or ends any."""
