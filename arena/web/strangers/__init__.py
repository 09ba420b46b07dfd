"""What those who are told of troubles may know: they are strangers, whoever they say they are."""
