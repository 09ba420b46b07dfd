"""Games as arrays of numbers: feature planes, batches of playings, training sets."""
