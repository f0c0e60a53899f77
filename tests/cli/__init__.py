"""Tests of the command line, by subject."""
