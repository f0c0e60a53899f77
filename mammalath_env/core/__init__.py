"""What all games share: words, rules dispatch, positions and the game interface.

Nothing here knows a particular game or a reinforcement-learning API.
"""
