"""featuredel: reinforcement-learning tasks from real repositories, by feature deletion."""

__version__ = "0.1.0"
