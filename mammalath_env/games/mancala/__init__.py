"""Mancala, a game of the Oware family."""
