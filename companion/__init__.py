"""Companion: keeps the table for trick-taking games played with real cards."""

__version__ = "0.1.0"
