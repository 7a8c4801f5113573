import os
import subprocess

from tornado.process import Subprocess

from .credentials import token_for_child
from .environment import environment_for_child


def launch(child, door):
    """Starts the program, which says on its output when it is ready."""
    app = child.parent
    level = [] if "--log-level" in child.arguments else ["--log-level", "warn"]
    return Subprocess(
        [*child.command, "notebook", "start", "--transport", "streamable-http", *level, *child.arguments],
        # The kernel closes it when this server is gone, kill -9 included: then the process ends itself.
        stdin=subprocess.PIPE,
        stdout=Subprocess.STREAM,
        env=environment_for_child(
            os.environ, url=child.url, token=token_for_child(app), door=door, certificate=app.certfile
        ),
        # Ctrl-C on the terminal of this server asks whether to stop it, and must not have stopped the tools by then.
        start_new_session=True,
    )
