"""Tests with sb3-contrib, Tianshou, TorchRL, skrl and OpenSpiel; see ``.ci/integrations``."""
