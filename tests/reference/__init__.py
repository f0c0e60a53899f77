"""Slow rule programs, independent of the package, that the tests compare it with."""
