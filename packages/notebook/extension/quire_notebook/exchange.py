import socket

from tornado import httputil
from tornado.http1connection import HTTP1Connection, HTTP1ConnectionParameters
from tornado.iostream import IOStream

#: A stream of events may go on for days: what it holds at once is bounded by whoever reads it.
NO_LIMIT = 1 << 62


class Exchange:
    """One request to the process, whose answer goes to a delegate piece by piece; closing it is how the process learns that nobody waits any more."""

    def __init__(self, door):
        self._door = door
        self._stream = None
        self._closed = False

    async def run(self, method, headers, body, delegate):
        self._stream = IOStream(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        try:
            await self._stream.connect(self._door.socket)
            if self._closed:
                return
            parameters = HTTP1ConnectionParameters(no_keep_alive=True, max_body_size=NO_LIMIT)
            connection = HTTP1Connection(self._stream, True, parameters)
            sent = httputil.HTTPHeaders(headers)
            sent["Host"] = "localhost"
            sent["Authorization"] = f"Bearer {self._door.secret}"
            if body or method == "POST":
                sent["Content-Length"] = str(len(body))
            connection.write_headers(httputil.RequestStartLine(method, "/mcp", ""), sent, body or None)
            connection.finish()
            await connection.read_response(delegate)
        finally:
            self._stream.close()

    def close(self):
        self._closed = True
        if self._stream:
            self._stream.close()
