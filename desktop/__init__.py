"""Paddock: a desktop agent for people who do not use a terminal."""

__version__ = "0.1.0"
