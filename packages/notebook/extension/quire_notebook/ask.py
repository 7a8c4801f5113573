import json
import re

from tornado import httputil

from ._version import __version__

REVISION = "2026-07-28"
NOT_IN_HEADERS = re.compile(r"[^\x21-\x7e]")
MOST_ANSWER_BYTES = 64 * 1024 * 1024


class Refused(Exception):
    """The process answered with an error of the protocol."""


async def ask(exchange, method, params):
    """One question over MCP, without a session. Raises Refused, and ValueError for an answer that is none."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientInfo": {"name": "quire_notebook", "version": __version__},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": REVISION,
        "MCP-Method": method,
    }
    if method == "tools/call":
        # A name that is no header's text gets no tool either way: the process says so by the body.
        headers["MCP-Name"] = NOT_IN_HEADERS.sub("?", params["name"])
    answer = CollectedAnswer(exchange)
    await exchange.run("POST", headers, json.dumps(message).encode(), answer)
    for reply in answer.messages():
        if not isinstance(reply, dict):
            continue
        if "error" in reply:
            raise Refused(reply["error"].get("message", "refused"))
        if reply.get("id") == 1 and "result" in reply:
            return reply["result"]
    raise ValueError("no answer to the question")


class CollectedAnswer(httputil.HTTPMessageDelegate):
    def __init__(self, exchange):
        self._exchange = exchange
        self._body = bytearray()
        self._is_stream = False

    def headers_received(self, start_line, headers):
        self._is_stream = headers.get("Content-Type", "").startswith("text/event-stream")

    def data_received(self, chunk):
        self._body += chunk
        if len(self._body) > MOST_ANSWER_BYTES:
            self._exchange.close()

    def messages(self):
        text = self._body.decode()
        if not self._is_stream:
            yield json.loads(text)
            return
        for line in text.splitlines():
            if line.startswith("data:") and line[5:].strip():
                yield json.loads(line[5:])
