"""Walls around files and processes."""
