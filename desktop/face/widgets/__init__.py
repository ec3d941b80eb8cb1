"""The widgets that make up the window."""
