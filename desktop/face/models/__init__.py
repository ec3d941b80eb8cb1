"""Qt models over plain lists: they only splice."""
