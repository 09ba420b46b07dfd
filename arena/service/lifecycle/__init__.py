"""The life of a service, from the first look at its home to the last process that it ends. Nobody imports it."""
