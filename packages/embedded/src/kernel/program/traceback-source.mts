/** Errors in the shape that notebooks know: a list of coloured texts, the cell's lines with an arrow. */
export const TRACEBACK_SOURCE: string = String.raw`
import traceback

RED, GREEN, PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[39m"
RULE = RED + "-" * 75 + PLAIN
CELL_FILE = re.compile(r"^<cell (\d+)\.\d+>$")
MAX_FRAMES = 20
MAX_CHAIN = 8
MAX_VALUE = 100_000
AROUND = 2


def cell_name(count, number):
    return "<cell %d.%d>" % (count, number)


def remember(filename, code):
    lines = code.splitlines(keepends=True)
    linecache.cache[filename] = (len(code), None, lines, filename)
    stale = [name for name in linecache.cache if CELL_FILE.match(name)][:-MAX_CELLS]
    for name in stale:
        del linecache.cache[name]


def describe(error):
    name = type(error).__name__
    value = text_of(error)
    try:
        parts = chain(error)
    except Exception as failure:
        parts = ["%s: %s" % (name, value), "(the traceback cannot be shown: %s)" % type(failure).__name__]
    return {"ename": name, "evalue": value, "traceback": parts}


def text_of(error):
    try:
        if isinstance(error, SyntaxError) and error.filename and (cell := CELL_FILE.match(error.filename)):
            return "%s (Cell In[%s], line %s)" % (error.msg, cell.group(1), error.lineno)
        return str(error)[:MAX_VALUE]
    except Exception:
        return "<its text cannot be had>"


def chain(error):
    links = []
    joint = None
    seen = set()
    while error is not None and id(error) not in seen and len(links) < MAX_CHAIN:
        seen.add(id(error))
        links.append((error, joint))
        if error.__cause__ is not None:
            error, joint = error.__cause__, "The above exception was the direct cause of the following exception:"
        elif error.__context__ is not None and not error.__suppress_context__:
            error, joint = error.__context__, "During handling of the above exception, another exception occurred:"
        else:
            error = None
    parts = [RULE]
    for error, joint in reversed(links):
        parts.extend(one(error))
        if joint is not None:
            parts.append("\n" + joint + "\n")
    return parts


def one(error):
    name = type(error).__name__
    if isinstance(error, SyntaxError) and error.filename and CELL_FILE.match(error.filename):
        return syntax(error, name)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not own(frame.filename)]
    head = "%s%s%s%s" % (RED, name, PLAIN, "Traceback (most recent call last)".rjust(max(75 - len(name), 34)))
    parts = [head]
    if len(frames) > MAX_FRAMES:
        left_out = "    [... %d frames left out ...]" % (len(frames) - MAX_FRAMES)
        half = MAX_FRAMES // 2
        parts += [*map(shown, frames[:half]), left_out, *map(shown, frames[-half:])]
    else:
        parts += map(shown, frames)
    notes = getattr(error, "__notes__", None)
    tail = [str(note) for note in notes] if isinstance(notes, list) else []
    parts.append("\n".join(["%s%s%s: %s" % (RED, name, PLAIN, text_of(error)), *tail]))
    return parts


def own(filename):
    return filename == "<kernel>" or filename.startswith("/lib/python") and "/_pyodide/" in filename


def place(filename):
    cell = CELL_FILE.match(filename)
    return "Cell %sIn[%s]%s" % (GREEN, cell.group(1), PLAIN) if cell else "File %s%s%s" % (GREEN, filename, PLAIN)


def shown(frame):
    where = "%s, line %s" % (place(frame.filename), frame.lineno)
    if frame.name != "<module>":
        where += ", in %s()" % frame.name
    lines = []
    for number in range(max(frame.lineno - AROUND, 1), frame.lineno + AROUND + 1):
        line = linecache.getline(frame.filename, number).rstrip("\n")[:500]
        if number == frame.lineno:
            lines.append("%s----> %d%s %s" % (GREEN, number, PLAIN, line))
        elif line or number < frame.lineno:
            lines.append("%7d %s" % (number, line))
    return "\n".join([where, *lines])


def syntax(error, name):
    line = (error.text or "").rstrip("\n")
    bare = line.lstrip()
    caret = max((error.offset or 1) - 1 - (len(line) - len(bare)), 0)
    return ["  %s, line %s\n    %s\n    %s^\n%s%s%s: %s" % (place(error.filename), error.lineno, bare, " " * caret, RED, name, PLAIN, error.msg)]
`
