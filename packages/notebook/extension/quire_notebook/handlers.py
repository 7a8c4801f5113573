import json

from tornado import web
from tornado.iostream import StreamClosedError

from ._version import __version__
from .ask import Refused, ask
from .child import ChildDown
from .exchange import Exchange
from .guarded import GuardedHandler

#: How long a request waits for a process that is being started.
START_PATIENCE_SECONDS = 15


class ChildHandler(GuardedHandler):
    """Speaks to the process; what cannot be had from it is told as a fault of the service."""

    exchange = None
    is_abandoned = False

    async def open_exchange(self):
        try:
            door = await self.child.door(START_PATIENCE_SECONDS)
        except ChildDown as down:
            raise web.HTTPError(503, "%s", str(down)) from down
        self.exchange = Exchange(door)
        if self.is_abandoned:
            self.exchange.close()
        return self.exchange

    def on_connection_close(self):
        super().on_connection_close()
        self.is_abandoned = True
        if self.exchange:
            self.exchange.close()


class HealthHandler(GuardedHandler):
    @web.authenticated
    async def get(self):
        is_ready = self.child.is_ready
        self.set_status(200 if is_ready else 503)
        body = {
            "status": "healthy" if is_ready else "starting",
            "context_type": "NOTEBOOK_SERVER",
            "document_url": self.child.url,
            "code_sandbox_url": self.child.url,
            "extension": "quire_notebook",
            "version": __version__,
        }
        self.finish(json.dumps(body))


class ToolListHandler(ChildHandler):
    @web.authenticated
    async def get(self):
        tools = []
        cursor = {}
        while True:
            page = await self.ask_page(cursor)
            tools += page["tools"]
            if not page.get("nextCursor"):
                break
            cursor = {"cursor": page["nextCursor"]}
        self.finish(json.dumps({"tools": tools, "count": len(tools)}))

    async def ask_page(self, cursor):
        try:
            return await ask_or_fail(await self.open_exchange(), "tools/list", cursor)
        except Refused as refused:
            raise web.HTTPError(502, "%s", str(refused)) from refused


class ToolCallHandler(ChildHandler):
    @web.authenticated
    async def post(self):
        name, arguments = self.read_call()
        exchange = await self.open_exchange()
        try:
            result = await ask_or_fail(exchange, "tools/call", {"name": name, "arguments": arguments})
        except Refused as refused:
            self.set_status(400)
            self.finish(json.dumps({"success": False, "error": str(refused)}))
            return
        self.finish(json.dumps({"success": result.get("isError") is not True, "result": result}))

    def read_call(self):
        try:
            call = json.loads(self.body())
        except (ValueError, RecursionError) as error:
            raise web.HTTPError(400, "The body is no JSON that can be read.") from error
        name = call.get("tool_name") if isinstance(call, dict) else None
        if not isinstance(name, str) or not name:
            raise web.HTTPError(400, "tool_name is required: name one of /mcp/tools/list.")
        arguments = call.get("arguments")
        if not isinstance(arguments, (dict, type(None))):
            raise web.HTTPError(400, "arguments must be an object.")
        return name, arguments or {}


async def ask_or_fail(exchange, method, params):
    try:
        return await ask(exchange, method, params)
    except (OSError, StreamClosedError, ValueError) as error:
        raise web.HTTPError(502, "The process of the notebook tools did not answer as it should.") from error
