"""Quire's notebook tools inside a notebook server: they answer at /mcp, to whom that server lets in."""

from ._version import __version__


def _jupyter_server_extension_points():
    return [{"module": "quire_notebook"}]


def _load_jupyter_server_extension(serverapp):
    # What follows imports the handlers of the notebook server: a hub has changed them by now.
    from .load import load

    load(serverapp)


__all__ = ["__version__"]
