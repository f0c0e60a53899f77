"""Adapters for libraries of reinforcement learning, one module a library.

Each needs its library, which an extra of the package installs, in a checkout by
``pip install ".[sb3]"`` or the like; `mask_in_info`, which several of them build on, needs none.
Nothing else in the package imports these modules.
"""
