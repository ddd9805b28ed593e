"""Commands that write a dataset in the form of a consumer."""

import click


@click.group()
def export() -> None:
    """Write a dataset in the form that others read."""
