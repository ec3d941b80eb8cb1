"""The window: everything that is drawn, and the one object that talks to the harness."""
