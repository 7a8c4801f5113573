/** Rich results: what an object says of itself, `display`, and the few names of `IPython.display` that notebooks import. */
export const DISPLAY_SOURCE: string = String.raw`
import base64, pprint, uuid

REPRS = (
    ("_repr_html_", "text/html"), ("_repr_markdown_", "text/markdown"), ("_repr_svg_", "image/svg+xml"), ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"), ("_repr_latex_", "text/latex"), ("_repr_json_", "application/json"),
    ("_repr_javascript_", "application/javascript"), ("_repr_pdf_", "application/pdf"),
)
CONTAINERS = (dict, list, tuple, set, frozenset)
WIDTH = 79
MAX_PRETTY = 20_000
MAX_PLAIN = 20 * 1024 * 1024


def plain(value):
    try:
        text = repr(value)
        if type(value) in CONTAINERS and WIDTH < len(text) < MAX_PRETTY:
            text = pprint.pformat(value, width=WIDTH, sort_dicts=False, compact=True)
    except Exception as error:
        text = "<%s whose repr() raised %s>" % (type(value).__name__, type(error).__name__)
    if len(text) > MAX_PLAIN:
        text = text[:MAX_PLAIN] + "\n... %d more characters" % (len(text) - MAX_PLAIN)
    return text.encode("utf-8", "replace").decode()


def method_of(value, name):
    # A class is shown as itself, not by the methods of its objects; some objects claim to have every attribute.
    if isinstance(value, type) or getattr(value, "_repr_no_such_method_", None) is not None:
        return None
    method = getattr(value, name, None)
    return method if callable(method) else None


def encoded(data):
    return base64.b64encode(data).decode("ascii") if isinstance(data, (bytes, bytearray, memoryview)) else data


def format_value(value):
    data, metadata = {}, {}
    bundle = method_of(value, "_repr_mimebundle_")
    if bundle is not None:
        made = attempt(lambda: bundle(include=None, exclude=None))
        if isinstance(made, tuple) and len(made) == 2:
            made, metadata = made[0], dict(made[1])
        if isinstance(made, dict):
            data = {str(kind): encoded(part) for kind, part in made.items() if part is not None}
    for name, kind in REPRS:
        method = None if kind in data else method_of(value, name)
        made = attempt(method) if method is not None else None
        if isinstance(made, tuple) and len(made) == 2:
            metadata[kind] = made[1]
            made = made[0]
        if made is not None:
            data[kind] = encoded(made)
    if "text/plain" not in data:
        data["text/plain"] = plain(value)
    return data, metadata


def attempt(method):
    try:
        return method()
    except NotImplementedError:
        return None
    except Exception:
        # One form that fails does not hide the others.
        traceback.print_exc()
        return None


class DisplayHandle:
    def __init__(self, display_id):
        self.display_id = display_id

    def display(self, value, **options):
        display(value, display_id=self.display_id, **options)

    def update(self, value, **options):
        update_display(value, display_id=self.display_id, **options)


def display(*values, display_id=None, metadata=None, raw=False, update=False, transient=None, include=None, exclude=None, **rest):
    if display_id is True or update and display_id is None:
        display_id = uuid.uuid4().hex
    transient = {**(transient or {}), **({"display_id": display_id} if display_id is not None else {})}
    for value in values:
        data, own_metadata = (value, {}) if raw else format_value(value)
        content = {"data": data, "metadata": {**own_metadata, **(metadata or {})}, "transient": transient}
        say("iopub", "update_display_data" if update else "display_data", content)
    return DisplayHandle(display_id) if display_id is not None else None


def update_display(value, *, display_id, **options):
    display(value, display_id=display_id, update=True, **options)


def clear_output(wait=False):
    say("iopub", "clear_output", {"wait": bool(wait)})


def shown_as(kind, name):
    def __init__(self, data=None, url=None, filename=None, metadata=None, **rest):
        if url is not None:
            raise ValueError("an address cannot be fetched here: pass the data itself")
        if filename is not None:
            with open(filename, "rb") as file:
                data = file.read()
            if not kind.startswith("image/") or kind == "image/svg+xml":
                data = data.decode()
        self.data, self.metadata = data, metadata or {}

    def bundle(self, include=None, exclude=None):
        return {actual_kind(kind, self.data): self.data}, self.metadata

    return type(name, (), {"__init__": __init__, "_repr_mimebundle_": bundle})


def actual_kind(kind, data):
    return "image/jpeg" if kind == "image/png" and isinstance(data, bytes) and data[:3] == b"\xff\xd8\xff" else kind


def install_display():
    package, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
    kinds = {"HTML": "text/html", "Markdown": "text/markdown", "SVG": "image/svg+xml", "Image": "image/png", "Latex": "text/latex",
        "JSON": "application/json", "Javascript": "application/javascript", "Pretty": "text/plain"}
    for name, kind in kinds.items():
        setattr(module, name, shown_as(kind, name))
    module.display, module.update_display, module.clear_output = display, update_display, clear_output
    module.DisplayHandle = DisplayHandle
    package.display, package.get_ipython, package.__path__ = module, lambda: None, []
    sys.modules.update({"IPython": package, "IPython.display": module})


install_display()
`
