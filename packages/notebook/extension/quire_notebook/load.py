import atexit

from jupyter_server.utils import url_path_join

from .child import QuireNotebook
from .handlers import HealthHandler, ToolCallHandler, ToolListHandler
from .relay import McpHandler

ROUTES = [
    (r"/mcp/?", McpHandler),
    (r"/mcp/healthz/?", HealthHandler),
    (r"/mcp/tools/list/?", ToolListHandler),
    (r"/mcp/tools/call/?", ToolCallHandler),
]


def load(serverapp):
    child = QuireNotebook(parent=serverapp)
    base_url = serverapp.web_app.settings["base_url"]
    handlers = [(url_path_join(base_url, path), handler, {"child": child}) for path, handler in ROUTES]
    serverapp.web_app.add_handlers(".*$", handlers)
    atexit.register(child.end)
    # Not before the server listens: it may have to take another port than the one it was told.
    serverapp.io_loop.add_callback(child.keep)
