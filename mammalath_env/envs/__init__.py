"""The games behind the interfaces that reinforcement-learning libraries use."""
