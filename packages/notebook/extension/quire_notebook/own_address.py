ANY = {"": "127.0.0.1", "*": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}


def own_address(app):
    """Where this server is reached from its own machine."""
    if getattr(app, "sock", ""):
        raise RuntimeError("this notebook server listens on a UNIX socket: the tools need it on a port")
    host = ANY.get(app.ip, app.ip)
    if ":" in host:
        host = f"[{host}]"
    scheme = "https" if app.certfile else "http"
    return f"{scheme}://{host}:{_port(app)}{app.base_url}"


def _port(app):
    if app.port:
        return app.port
    # It was told to take any port; where it keeps the sockets is its HTTP server's secret.
    for sock in app.http_server._sockets.values():
        return sock.getsockname()[1]
    raise RuntimeError("the notebook server does not listen yet")
