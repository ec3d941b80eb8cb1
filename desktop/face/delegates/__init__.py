"""How one row of a list is laid out and painted."""
