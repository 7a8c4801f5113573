import inspect
import json
import re

from jupyter_server.base.handlers import APIHandler
from tornado import httputil, web

from .credentials import is_stock

#: As much as the process takes.
MOST_BODY_BYTES = 1024 * 1024
RETRY_SECONDS = 5
BEARER = re.compile(r"bearer\s+", re.IGNORECASE)
#: The tools do all of this, whoever calls them.
NEEDED = (("execute", "kernels"), ("write", "contents"))


@web.stream_request_body
class GuardedHandler(APIHandler):
    """Lets in whom the notebook server lets in, before it reads a body."""

    def __init__(self, application, request, **kwargs):
        self._body = bytearray()
        self._is_too_large = False
        self._is_admitted = False
        # Jupyter Server 1.x knows only the scheme `token`. Here, because headers are looked at before anything else is called.
        if is_stock(application.settings.get("login_handler_class")):
            given = request.headers.get("Authorization", "")
            if BEARER.match(given):
                request.headers["Authorization"] = BEARER.sub("token ", given, count=1)
        super().__init__(application, request, **kwargs)

    def initialize(self, child):
        self.child = child

    async def prepare(self):
        prepared = super().prepare()
        if inspect.isawaitable(prepared):
            await prepared
        if self.request.method != "OPTIONS":
            await self._admit()
        self._is_admitted = True

    async def _admit(self):
        if not self.current_user:
            raise web.HTTPError(403)
        for action, resource in NEEDED:
            allowed = self.authorizer.is_authorized(self, self.current_user, action, resource)
            if not (await allowed if inspect.isawaitable(allowed) else allowed):
                raise web.HTTPError(403, f"User is not authorized to {action} {resource}.")

    def data_received(self, chunk):
        if len(self._body) + len(chunk) > MOST_BODY_BYTES:
            self._is_too_large = True
            self._body.clear()
        elif not self._is_too_large:
            self._body += chunk

    def body(self):
        if self._is_too_large:
            raise web.HTTPError(413, f"The body is larger than {MOST_BODY_BYTES} bytes.")
        return bytes(self._body)

    def write_error(self, status_code, **kwargs):
        if not self._is_admitted:
            # The body has not been read and the connection is closed because of that: nobody should use it again.
            self.set_header("Connection", "close")
        if status_code == 503:
            self.set_header("Retry-After", RETRY_SECONDS)
        error = kwargs.get("exc_info", (None, None))[1]
        message = httputil.responses.get(status_code, "Unknown HTTP Error")
        if isinstance(error, web.HTTPError) and error.log_message:
            message = error.log_message % error.args if error.args else error.log_message
        self.finish(json.dumps(self.error_body(message)))

    def error_body(self, message):
        return {"message": message, "reason": None}
