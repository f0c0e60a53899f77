"""Tests of matches, tournaments, ratings and records."""
