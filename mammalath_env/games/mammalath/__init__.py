"""Mammalath and Mammalath Plus, games by Grant Fikes (nestorgames, 2019)."""
