"""Tests with RLlib, Ray and AgileRL; see ``.ci/integrations``."""
