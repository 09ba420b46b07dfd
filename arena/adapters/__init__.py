"""The games for programs that learn: feature planes, batches of playings and training sets, as arrays of NumPy."""
