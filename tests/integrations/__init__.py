"""Tests with libraries of reinforcement learning, a folder for each set that installs together."""
