"""How the tools show this server who they are, whatever it asks of others."""

import hmac
import os
import re
import secrets

try:
    from jupyter_server.auth.identity import IdentityProvider, PasswordIdentityProvider, User
except ImportError:  # Jupyter Server 1.x
    IdentityProvider = None

from jupyter_server.auth.login import LoginHandler

SUBJECT = "quire"
KEY = "quire_child_key"
#: All that the tools ask for: with the key nobody opens a terminal or shuts the server down.
PATHS = re.compile(r"/*api(?:/(?:status|contents|kernels|kernelspecs|sessions|collaboration)(?:/.*)?)?/?")
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-Ip", "X-Scheme", "X-Forwarded-Proto")
STOCK = ("get_user", "get_user_token", "get_token", "is_token_authenticated")


def token_for_child(app):
    """A hub gives every server a token for itself. Else it is the server's own one; where that opens nothing, a key that only we and the process know."""
    hub_token = os.environ.get("JUPYTERHUB_API_TOKEN")
    if hub_token and os.environ.get("JUPYTERHUB_SERVICE_PREFIX"):
        return hub_token
    settings = app.web_app.settings
    if KEY in settings:
        return settings[KEY]
    if IdentityProvider is not None and "identity_provider" in settings:
        provider = settings["identity_provider"]
        if type(provider) in (IdentityProvider, PasswordIdentityProvider) and provider.token:
            return provider.token
        let_in = _let_in_by_provider
    else:
        if is_stock(settings.get("login_handler_class")) and settings.get("token"):
            return settings["token"]
        let_in = _let_in_by_login_handler
    settings[KEY] = secrets.token_urlsafe(32)
    let_in(settings)
    return settings[KEY]


def is_stock(login_handler):
    """Whether a login handler of 1.x judges requests as the server's own one does."""
    if not isinstance(login_handler, type) or not issubclass(login_handler, LoginHandler):
        return False
    same = (_function(login_handler, name) is _function(LoginHandler, name) for name in STOCK)
    return all(same) and login_handler.auth_header_pat is LoginHandler.auth_header_pat


def _function(owner, name):
    method = getattr(owner, name)
    return getattr(method, "__func__", method)


def _is_child(handler):
    scheme, _, key = handler.request.headers.get("Authorization", "").partition(" ")
    known = handler.settings[KEY]
    if scheme.lower() not in ("token", "bearer") or not hmac.compare_digest(key.encode(), known.encode()):
        return False
    base_url, path = handler.settings["base_url"], handler.request.path
    is_needed = path.startswith(base_url) and PATHS.fullmatch(path[len(base_url) :]) is not None
    return is_needed and _is_from_here(handler.request)


def _is_from_here(request):
    """Whoever connects from the machine itself has the address that is connected to. A proxy of this machine's says for whom it asks."""
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        sock = request.connection.stream.socket
        return sock.getsockname()[0] == sock.getpeername()[0]
    except (AttributeError, OSError):
        return False


def _let_in_by_login_handler(settings):
    base = settings.get("login_handler_class")
    if base is None:
        return

    class WithChild(base):
        @classmethod
        def get_user(cls, handler):
            return SUBJECT if _is_child(handler) else super().get_user(handler)

        @classmethod
        def is_token_authenticated(cls, handler):
            if _is_child(handler):
                return True
            inherited = getattr(super(), "is_token_authenticated", None)
            return inherited(handler) if inherited else False

        @classmethod
        def should_check_origin(cls, handler):
            inherited = getattr(super(), "should_check_origin", None)
            return not _is_child(handler) and (inherited(handler) if inherited else True)

    settings["login_handler_class"] = WithChild


def _let_in_by_provider(settings):
    provider = settings["identity_provider"]
    get_user = provider.get_user

    def get_user_or_child(handler):
        if not _is_child(handler):
            return get_user(handler)
        # Read by the provider's own `is_token_authenticated`, which spares such requests the XSRF cookie.
        handler._token_authenticated = True
        return User(SUBJECT)

    is_token_authenticated = provider.is_token_authenticated
    provider.get_user = get_user_or_child
    provider.is_token_authenticated = lambda handler: _is_child(handler) or is_token_authenticated(handler)
