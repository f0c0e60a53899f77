"""A game that is no part of the package, as the example of one and as the test of the interface."""
