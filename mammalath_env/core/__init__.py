"""The parts that all games share: words, dispatch of rules, positions, the game interface.

Nothing here knows a particular game or a reinforcement-learning API.
"""
