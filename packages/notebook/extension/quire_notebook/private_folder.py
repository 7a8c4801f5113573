import contextlib
import fcntl
import glob
import os
import tempfile

PREFIX = "quire-notebook-tools-"
SOCKET = "mcp"
#: What the address of a socket may have on every system, its closing zero included.
MOST_SOCKET_BYTES = 104


class PrivateFolder:
    """A folder that nobody but this user can enter, and the place of a socket in it. It is locked as long as its owner lives."""

    def __init__(self):
        _sweep(tempfile.gettempdir())
        self.path = tempfile.mkdtemp(prefix=PREFIX)
        if len(os.fsencode(self.socket)) >= MOST_SOCKET_BYTES:
            os.rmdir(self.path)
            self.path = tempfile.mkdtemp(prefix=PREFIX, dir="/tmp")
        self._lock = _lock(self.path)

    @property
    def socket(self):
        return os.path.join(self.path, SOCKET)

    def remove(self):
        # The process may have been quicker: it removes the folder itself, for when nobody else is left to do it.
        _remove(self.path)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _sweep(parent):
    """Takes away what is left of those who could not, such as all that ran on a machine that lost its power."""
    for path in glob.glob(os.path.join(glob.escape(parent), f"{PREFIX}*")):
        with contextlib.suppress(OSError):
            if os.lstat(path).st_uid != os.getuid():
                continue
            lock = _lock(path)
            if lock is not None:
                _remove(path)
                os.close(lock)


def _remove(path):
    """Nothing but what was made here: whatever else somebody keeps under such a name stays."""
    for undo, one in ((os.unlink, os.path.join(path, SOCKET)), (os.rmdir, path)):
        with contextlib.suppress(OSError):
            undo(one)


def _lock(path):
    """None when somebody else has it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor
