import json
import re

from tornado import httputil, web
from tornado.iostream import StreamClosedError

from .handlers import ChildHandler

SENT_ON = re.compile(r"accept|content-type|last-event-id|traceparent|tracestate|mcp-.+", re.IGNORECASE)
SENT_BACK = re.compile(r"content-type|cache-control|retry-after|allow|mcp-.+", re.IGNORECASE)
#: What a server may name its own faults by (JSON-RPC 2.0, section 5.1).
SERVER_ERROR = -32000
ENDED = (
    "The process of the notebook tools ended before it answered; it is started again. "
    "What was asked may have been done in part: look at the notebook, then ask again."
)


class McpHandler(ChildHandler):
    """`/mcp` as it is, streams included."""

    @web.authenticated
    async def get(self):
        await self.relay()

    @web.authenticated
    async def post(self):
        await self.relay()

    @web.authenticated
    async def delete(self):
        await self.relay()

    async def relay(self):
        body = self.body()
        exchange = await self.open_exchange()
        headers = {name: value for name, value in self.request.headers.get_all() if SENT_ON.fullmatch(name)}
        answer = RelayedAnswer(self, exchange)
        try:
            await exchange.run(self.request.method, headers, body, answer)
        except (OSError, StreamClosedError):
            # Whether the process or the client went, is seen below.
            pass
        if not answer.is_whole and not self.is_abandoned:
            self.tell_end(answer)

    def tell_end(self, answer):
        if not answer.has_begun:
            raise web.HTTPError(502, ENDED)
        if not answer.is_stream:
            # Half a body must not look like a whole one.
            self.request.connection.stream.close()
        elif self.request.method == "POST":
            self.write(f"event: message\ndata: {json.dumps(self.error_body(ENDED))}\n\n")

    def error_body(self, message):
        return {"jsonrpc": "2.0", "id": self.asked_id(), "error": {"code": SERVER_ERROR, "message": message}}

    def asked_id(self):
        """What the client knows its question by; null where that cannot be told."""
        try:
            asked = json.loads(self._body)
        except (ValueError, RecursionError):
            return None
        name = asked.get("id") if isinstance(asked, dict) else None
        return name if isinstance(name, (str, int, float)) and not isinstance(name, bool) else None


class RelayedAnswer(httputil.HTTPMessageDelegate):
    def __init__(self, handler, exchange):
        self._handler = handler
        self._exchange = exchange
        self.has_begun = False
        self.is_stream = False
        self.is_whole = False

    def headers_received(self, start_line, headers):
        self.has_begun = True
        self.is_stream = headers.get("Content-Type", "").startswith("text/event-stream")
        # The secret is between us and the process: its refusal is none of the caller's token.
        code = 502 if start_line.code == 401 else start_line.code
        self._handler.set_status(code)
        self._handler.clear_header("Content-Type")
        for name, value in headers.get_all():
            if SENT_BACK.fullmatch(name):
                self._handler.set_header(name, value)
        return self._flush()

    def data_received(self, chunk):
        self._handler.write(chunk)
        return self._flush()

    def finish(self):
        self.is_whole = True

    async def _flush(self):
        """Waits until the client has taken what there is, so that nothing piles up here."""
        try:
            await self._handler.flush()
        except StreamClosedError:
            self._exchange.close()
