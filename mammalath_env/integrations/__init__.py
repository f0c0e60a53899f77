"""Adapters for libraries of reinforcement learning, one module a library.

Each module needs its library, which an extra of the package installs, such as
``pip install "mammalath_env[sb3]"``. Nothing else in the package imports these modules.
"""
