"""Tests of mammalath_env."""
