import asyncio
import secrets
import subprocess
import time
from collections import namedtuple

from tornado.iostream import StreamClosedError
from traitlets import List, Unicode
from traitlets.config import LoggingConfigurable

from .launch import launch
from .own_address import own_address
from .private_folder import PrivateFolder

READY = rb"The notebook tools are at [^\n]*/mcp\n"
MOST_OUTPUT_BYTES = 64 * 1024
START_SECONDS = 30
END_SECONDS = 2
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30
#: Whoever lived as long did not fail at the start.
GOOD_LIFE_SECONDS = 60

#: Where a process is asked, and what it must be shown. Each life has its own.
Door = namedtuple("Door", "socket secret")


class ChildDown(Exception):
    """There is nobody to ask; the text says why."""


class QuireNotebook(LoggingConfigurable):
    """The process that has the tools: started with this server, started again when it dies, never left behind."""

    command = List(Unicode(), help="The program: as a rule node and the launcher of Quire.").tag(config=True)
    arguments = List(Unicode(), help='More arguments, such as "--read-only".').tag(config=True)
    notebook_url = Unicode(
        help="Where the tools reach this server, when the address that it listens on is none that its certificate is for."
    ).tag(config=True)

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.url = None
        self._door = None
        self._process = None
        self._folder = None
        self._ending = False
        self._failed_starts = 0
        self._changed = asyncio.Event()
        self._fault = "The notebook tools are being started."

    @property
    def is_ready(self):
        return self._door is not None

    async def door(self, seconds):
        """Where it answers, which may take a moment after a start. Raises ChildDown."""
        deadline = time.monotonic() + seconds
        while self._door is None:
            # Whoever asks one that never starts need not wait to hear so.
            patience = deadline - time.monotonic() if self._failed_starts < 2 else 0
            try:
                await asyncio.wait_for(self._changed.wait(), max(0, patience))
            except asyncio.TimeoutError:
                raise ChildDown(self._fault) from None
        return self._door

    async def keep(self):
        """Starts the process, and again whenever it ends, until the server does."""
        if not self.command:
            self._give_up('QuireNotebook.command is not set: run "quire notebook install-extension".')
            return
        pause = FIRST_PAUSE_SECONDS
        while not self._ending:
            begin = time.monotonic()
            try:
                reason = await self._live()
            except Exception as error:
                self._failed_starts += 1
                reason = f"cannot be started ({error})"
            if self._ending:
                return
            if time.monotonic() - begin > GOOD_LIFE_SECONDS:
                pause = FIRST_PAUSE_SECONDS
            self._fault = f"The process of the notebook tools {reason}; it is started again."
            self.log.warning("quire: the process of the notebook tools %s; next start in %s s", reason, pause)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    def _give_up(self, reason):
        self._failed_starts = 2
        self._fault = reason
        self.log.error("quire: %s", reason)

    async def _live(self):
        """One life, from its start to its end; answers how it ended."""
        self.url = self.notebook_url or own_address(self.parent)
        self._folder = PrivateFolder()
        try:
            door = Door(self._folder.socket, secrets.token_urlsafe(32))
            self._process = launch(self, door)
            return await self._watch(self._process, door)
        finally:
            self._folder.remove()

    async def _watch(self, process, door):
        self._failed_starts += 1
        reason = None
        try:
            await asyncio.wait_for(self._when_ready(process, door), START_SECONDS)
            while True:
                await process.stdout.read_bytes(MOST_OUTPUT_BYTES, partial=True)
        except StreamClosedError:
            pass
        except asyncio.TimeoutError:
            reason = f"did not start within {START_SECONDS} s"
        finally:
            self._door = None
            self._changed.clear()
            process.stdout.close()
            process.proc.stdin.close()
            code = await asyncio.get_running_loop().run_in_executor(None, _reap, process.proc)
        return reason or f"ended with {code}"

    async def _when_ready(self, process, door):
        await process.stdout.read_until_regex(READY, max_bytes=MOST_OUTPUT_BYTES)
        self._door = door
        self._failed_starts = 0
        self._changed.set()
        self.log.info("quire: the notebook tools answer at %smcp", self.parent.base_url)

    def end(self):
        """Called when the interpreter exits, with no loop any more. The kernels have been shut down by then: there is little to wait for."""
        self._ending = True
        if self._process is not None and self._process.proc.poll() is None:
            self._process.proc.terminate()
            _reap(self._process.proc)
        if self._folder is not None:
            self._folder.remove()


def _reap(process):
    try:
        return process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()
