"""The Python front-end; `front_end.py` puts its parts together."""
