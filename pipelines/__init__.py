"""Recipes: a whole run on a page."""
