import re

#: What would send the tools to another server, or let others in than this server does.
OTHERS = re.compile(
    r"(?:(?:NOTEBOOK|JUPYTER|DOCUMENT|CODE_SANDBOX)_(?:URL|TOKEN|PASSWORD|ID|PROVIDER)|PROVIDER|TRANSPORT"
    r"|(?:NOTEBOOK_)?(?:MCP_\w+|HOST|PORT|TLS_\w+|PUBLIC_URL|ALLOWED_(?:HOST|ORIGIN)S?|TRUST_PROXY)"
    r"|INSECURE_MCP_NOAUTH)(?:_FILE)?"
)
#: Credentials that the tools have no use for.
SECRETS = re.compile(r"(?:JUPYTERHUB|JPY)_API_TOKEN|CONFIGPROXY_AUTH_TOKEN")


def environment_for_child(environ, *, url, token, door, certificate):
    """Secrets go by here and not by arguments, which everybody on the machine can read."""
    env = {name: value for name, value in environ.items() if not (OTHERS.fullmatch(name) or SECRETS.fullmatch(name))}
    env.update(NOTEBOOK_MCP_MODE="NOTEBOOK_SERVER", NOTEBOOK_MCP_SOCKET=door.socket, MCP_TOKEN=door.secret)
    env.update(NOTEBOOK_URL=url, NOTEBOOK_TOKEN=token)
    if certificate:
        env.setdefault("NODE_EXTRA_CA_CERTS", certificate)
    return env
