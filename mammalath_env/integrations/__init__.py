"""Adapters for libraries of reinforcement learning, one module a library.

Each needs its library, which an extra of the package installs, such as
``pip install "mammalath_env[sb3]"``; `mask_in_info`, which several of them build on, needs none.
Nothing else in the package imports these modules.
"""
