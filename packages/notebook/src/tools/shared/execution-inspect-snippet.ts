/** What the Python below is asked. */
export interface InspectRequest {
  /** Stands before and behind the answer, so that nothing that a thread prints meanwhile is taken for it. */
  readonly marker: string
  /** One variable in detail. */
  readonly name: string | null
  readonly pattern: string | null
  readonly limit: number
}

/** One line that leaves no name behind: everything happens in a namespace of its own. */
export function toInspectCode(request: InspectRequest): string {
  const snippet = JSON.stringify(SNIPPET)
  const question = JSON.stringify(JSON.stringify(request))
  return `__import__('builtins').exec(${snippet}, {'question': ${question}, 'user': __import__('builtins').globals()})`
}

/** Methods of the user's own classes are not called, but for the repr of the one variable that was asked for by name. */
const SNIPPET = `
import fnmatch, json, sys, types

def type_name(value):
    kind = type(value)
    try:
        module, name = kind.__module__, kind.__qualname__
    except Exception:
        return 'unknown'
    return str(name) if module in ('builtins', '__main__') else '%s.%s' % (module, name)

def cut(text, most):
    return text if len(text) <= most else text[:most - 1] + '\\u2026'

SCALARS = (bool, float, complex, type(None), type(Ellipsis), range)
CONTAINERS = (list, tuple, set, frozenset, dict)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType)

def is_plain(value):
    return type(value) in (int, str, bytes, bytearray, type, *SCALARS, *CONTAINERS, *FUNCTIONS)

def short(value, most, depth=2):
    kind = type(value)
    if kind in SCALARS:
        return cut(repr(value), most)
    if kind is int:
        return cut(repr(value), most) if value.bit_length() < 4096 else '<int of %d bits>' % value.bit_length()
    if kind in (str, bytes, bytearray):
        return cut(repr(value[:most]), most)
    if kind in CONTAINERS:
        return cut(short_container(value, kind, most, depth), most)
    if kind in FUNCTIONS:
        return cut('<function %s>' % value.__name__, most)
    if kind is type:
        return cut('<class %s>' % value.__qualname__, most)
    return cut('<%s object>' % type_name(value), most)

def short_container(value, kind, most, depth):
    if not value:
        return repr(value)
    opening, closing = {tuple: '()', list: '[]', frozenset: ('frozenset({', '})')}.get(kind, '{}')
    if depth == 0:
        return opening + '\\u2026' + closing
    parts = []
    for item in value.items() if kind is dict else value:
        if len(parts) == max(6, most // 20):
            parts.append('\\u2026')
            break
        both = item if kind is dict else (item,)
        parts.append(': '.join(short(part, 120, depth - 1) for part in both))
    alone = ',' if kind is tuple and len(value) == 1 else ''
    return opening + ', '.join(parts) + alone + closing

LIBRARIES = {'numpy', 'pandas', 'polars', 'torch', 'tensorflow', 'jax', 'jaxlib', 'scipy', 'xarray', 'pyarrow', 'cupy', 'cudf'}

def measure(value, entry):
    kind = type(value)
    if kind in (str, bytes, bytearray, range, *CONTAINERS):
        entry['length'] = len(value)
        entry['bytes'] = sys.getsizeof(value)
    elif str(kind.__module__).partition('.')[0] in LIBRARIES:
        shape = getattr(value, 'shape', None)
        if isinstance(shape, tuple):
            entry['shape'] = [int(size) for size in shape]
        nbytes = getattr(value, 'nbytes', None)
        if isinstance(nbytes, int):
            entry['bytes'] = nbytes
        dtype = getattr(value, 'dtype', None)
        if dtype is not None:
            entry['dtype'] = cut(str(dtype), 60)
            if kind.__module__ == 'numpy' and dtype.kind in 'biufcSU':
                entry['repr'] = short(value.flat[:7].tolist() if shape else value.item(), 120)
        columns = getattr(value, 'columns', None)
        if columns is not None:
            entry['columns'] = [short(column, 60) for column in list(columns)[:30]]

def describe(name, value, most):
    entry = {'name': name, 'type': cut(type_name(value), 120)}
    try:
        entry['repr'] = short(value, most)
        measure(value, entry)
    except Exception as problem:
        entry.setdefault('repr', '<not shown: %s>' % type_name(problem))
    return entry

def describe_in_detail(name, value):
    entry = describe(name, value, 4000)
    if not is_plain(value):
        try:
            entry['repr'] = cut(str.__str__(repr(value)), 4000)
        except (Exception, SystemExit, GeneratorExit) as problem:
            entry['repr'] = '<its repr failed: %s>' % type_name(problem)
    kind = type(value)
    if issubclass(kind, (type, types.FunctionType, types.ModuleType)):
        if type(value.__doc__) is str:
            entry['doc'] = cut(value.__doc__, 500)
        return entry
    try:
        attributes = object.__getattribute__(value, '__dict__')
    except Exception:
        return entry
    if type(attributes) is dict:
        named = sorted(key for key in list(attributes) if type(key) is str)[:50]
        entry['attributes'] = [describe(key, attributes.get(key), 120) for key in named]
    return entry

def hidden_names():
    try:
        from IPython import get_ipython
        return get_ipython().user_ns_hidden
    except Exception:
        return {}

def answer(question):
    wanted = question['name']
    if wanted is not None:
        entries = [describe_in_detail(wanted, user[wanted])] if wanted in user else []
        return {'variables': entries, 'total': len(entries), 'modules': []}
    hidden = hidden_names()
    nothing = object()
    found, modules = [], []
    for name, value in list(user.items()):
        if type(name) is not str or name.startswith('_') or hidden.get(name, nothing) is value:
            continue
        if question['pattern'] is not None and not fnmatch.fnmatchcase(name, question['pattern']):
            continue
        (modules if type(value) is types.ModuleType else found).append(name)
    found.sort()
    entries = [describe(name, user[name], 120) for name in found[:question['limit']] if name in user]
    return {'variables': entries, 'total': len(found), 'modules': sorted(modules)[:100]}

question = json.loads(question)
sys.stdout.write(question['marker'] + json.dumps(answer(question)) + question['marker'] + '\\n')
`
