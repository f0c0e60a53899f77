"""Tests with BenchMARL and XuanCe, which need NumPy 1; see ``.ci/integrations``."""
