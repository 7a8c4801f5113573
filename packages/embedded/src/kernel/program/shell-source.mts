import { DISPLAY_SOURCE } from './display-source.mts'
import { INTROSPECTION_SOURCE } from './introspection-source.mts'
import { TRACEBACK_SOURCE } from './traceback-source.mts'

/** The kernel's side in Python. Its last expression is the object that the process talks to. */
export const SHELL_SOURCE: string = String.raw`
import ast, asyncio, atexit, builtins, functools, inspect, io, json, linecache, os, re, sys, time, types
import _kernel_host as host

PLATFORM = "CPython %s in WebAssembly" % sys.version.split()[0]
BANNER = (PLATFORM + ".\n"
    "It reads and writes the notebook folder and nothing else of this machine, and starts no programs. Packages with native code "
    "(numpy, pandas, …) are absent: nothing is installed offline. No threads, no subprocesses, no input(). Node.js 24 cannot deny "
    "network sockets, so code here can reach the network of this machine.")
TOP_LEVEL_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
MAX_CELLS = 1000
SLEEP_PIECE = 0.05


class StdinNotImplementedError(NotImplementedError):
    pass


def refuse_input(prompt="", *rest, **options):
    raise StdinNotImplementedError("input() was called, but this kernel takes no input: put the value into the code.")


def refuse_program(*rest, **options):
    raise PermissionError("this kernel starts no programs")


class Stream(io.TextIOBase):
    encoding = "utf-8"
    errors = "replace"

    def __init__(self, name):
        self.name = name
        self.held = []

    def writable(self):
        return True

    def isatty(self):
        return False

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() argument must be str, not " + type(text).__name__)
        self.held.append(text)
        if "\n" in text or len(text) > 1024 or len(self.held) > 64:
            self.flush()
        return len(text)

    def flush(self):
        if self.held:
            text = "".join(self.held)
            self.held = []
            host.print(self.name, text.encode("utf-8", "replace").decode())


def say(channel, kind, content):
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        sent = host.say(channel, kind, json.dumps(content, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError("this cannot be shown: its data is no JSON (%s)" % error) from None
    if not sent:
        raise ValueError("this cannot be shown: it is larger than 64 MiB")


${DISPLAY_SOURCE}
${TRACEBACK_SOURCE}
${INTROSPECTION_SOURCE}

@types.coroutine
def interruptible(coroutine):
    # An interrupt that came between two steps would hit the event loop, and the code would never be resumed.
    step = functools.partial(coroutine.send, None)
    while True:
        host.allow(True)
        try:
            awaited = step()
        except StopIteration as end:
            return end.value
        finally:
            host.allow(False)
        try:
            step = functools.partial(coroutine.send, (yield awaited))
        except BaseException as error:
            step = functools.partial(coroutine.throw, error)


class Shell(Introspection):
    def __init__(self):
        self.count = 0
        self.cells = 0
        self.task = None
        self.main = types.ModuleType("__main__")
        self.names = self.main.__dict__
        self.names.update(__builtins__=builtins, In=[""], Out={})

    async def handle(self, kind, content):
        answer = getattr(self, kind, None)
        if kind in ANSWERED:
            reply = answer(json.loads(content))
            say("shell", kind.replace("_request", "_reply"), await reply if inspect.isawaitable(reply) else reply)

    def interrupt(self):
        task = self.task
        return task is not None and task._fut_waiter is not None and task.cancel()

    def finish(self):
        atexit._run_exitfuncs()

    async def execute_request(self, request):
        silent = bool(request.get("silent", False))
        stored = bool(request.get("store_history", True)) and not silent
        code = str(request.get("code", ""))
        count = self.count + 1
        if stored:
            self.count = count
            self.names["In"].append(code)
        if not silent:
            say("iopub", "execute_input", {"code": code, "execution_count": count})
        # Between two steps of code that waits, Python's own loop is what hears an interrupt.
        asyncio.get_running_loop()._keyboard_interrupt_handler = self.interrupt
        self.task = asyncio.ensure_future(self.run(code, count, silent, stored))
        try:
            failure = await self.task
            if failure is None:
                expressions = {key: self.expression(value) for key, value in (request.get("user_expressions") or {}).items()}
                return {"status": "ok", "execution_count": count, "user_expressions": expressions, "payload": []}
        except asyncio.CancelledError:
            # Interrupted before its first instruction.
            failure = describe(KeyboardInterrupt())
        finally:
            self.task = None
        if not silent:
            say("iopub", "error", failure)
        return {"status": "error", "execution_count": count, "user_expressions": {}, "payload": [], **failure}

    async def run(self, code, count, silent, stored):
        self.cells += 1
        filename = cell_name(count, self.cells)
        remember(filename, code)
        try:
            value = await self.evaluate(code, filename)
            if value is not None and not silent:
                if not code_is_quiet(code):
                    host.allow(True)
                    try:
                        data, metadata = format_value(value)
                    finally:
                        host.allow(False)
                    if data:
                        say("iopub", "execute_result", {"execution_count": count, "data": data, "metadata": metadata})
                if stored:
                    self.names["_"] = value
                    self.names["Out"][count] = value
        except BaseException as error:
            host.allow(False)
            if isinstance(error, asyncio.CancelledError):
                # The way in which code that waits is interrupted.
                error = KeyboardInterrupt().with_traceback(error.__traceback__)
            return describe(error)
        finally:
            host.allow(False)
            sys.stdout.flush()
            sys.stderr.flush()

    async def evaluate(self, code, filename):
        tree = compile(code, filename, "exec", TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        steps = [compile(tree, filename, "exec", TOP_LEVEL_AWAIT)]
        if last is not None:
            steps.append(compile(ast.Expression(last.value), filename, "eval", TOP_LEVEL_AWAIT))
        value = None
        for step in steps:
            host.allow(True)
            try:
                value = eval(step, self.names)
            finally:
                host.allow(False)
            if step.co_flags & inspect.CO_COROUTINE:
                value = await interruptible(value)
        return value if last is not None else None

    def expression(self, source):
        try:
            data, metadata = format_value(eval(source, self.names))
            return {"status": "ok", "data": data, "metadata": metadata}
        except Exception as error:
            return {"status": "error", **describe(error)}

    def kernel_info_request(self, request):
        return {
            "status": "ok", "protocol_version": "5.3", "implementation": "quire", "implementation_version": "1.0", "banner": BANNER,
            "help_links": [], "debugger": False,
            "language_info": {"name": "python", "version": sys.version.split()[0], "mimetype": "text/x-python", "file_extension": ".py",
                "pygments_lexer": "ipython3", "codemirror_mode": {"name": "ipython", "version": 3}, "nbconvert_exporter": "python"},
        }

    def history_request(self, request):
        return {"status": "ok", "history": []}

    def comm_info_request(self, request):
        return {"status": "ok", "comms": {}}


ANSWERED = {name for name in dir(Shell) if name.endswith("_request")}


def code_is_quiet(code):
    import tokenize
    quiet = False
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type not in (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.INDENT, tokenize.DEDENT):
                quiet = token.string == ";"
    except (tokenize.TokenError, SyntaxError):
        pass
    return quiet


def sleep(seconds):
    """Delay execution for a given number of seconds, which may be a fraction."""
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    sys.stdout.flush()
    sys.stderr.flush()
    host.flush()
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if host.rest(min(left, SLEEP_PIECE) * 1000):
            raise KeyboardInterrupt


sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
time.sleep = sleep
os.system = refuse_program
builtins.input = refuse_input
import getpass
getpass.getpass = refuse_input
builtins.display, builtins.clear_output, builtins.update_display = display, clear_output, update_display
shell = Shell()
sys.modules["__main__"] = shell.main
os.chdir(os.environ["PWD"])
sys.path.insert(0, "")
shell
`
