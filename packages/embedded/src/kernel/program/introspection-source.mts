/** What an editor asks of names and of code that is not run: whether it is whole, what could follow, what something is. */
export const INTROSPECTION_SOURCE: string = String.raw`
import codeop, keyword, rlcompleter

MAX_MATCHES = 500
NAME_BEFORE = re.compile(r"[^\W\d][\w.]*$")
NAME_AFTER = re.compile(r"\w*")


class Introspection:
    def is_complete_request(self, request):
        code = str(request.get("code", ""))
        compiler = codeop.CommandCompiler()
        compiler.compiler.flags |= TOP_LEVEL_AWAIT
        try:
            if compiler(code, "<input>", "exec") is not None:
                return {"status": "complete"}
        except (SyntaxError, OverflowError, ValueError):
            return {"status": "invalid"}
        last = code.rstrip().rsplit("\n", 1)[-1]
        indent = len(last) - len(last.lstrip()) + (4 if last.endswith(":") else 0)
        return {"status": "incomplete", "indent": " " * indent}

    def complete_request(self, request):
        code, position = located(request)
        found = NAME_BEFORE.search(code[:position])
        word = found.group() if found else ""
        completer = rlcompleter.Completer(self.names)
        matches = []
        while word and len(matches) < MAX_MATCHES:
            match = completer.complete(word, len(matches))
            if match is None:
                break
            matches.append(match.rstrip("(): "))
        return {"status": "ok", "matches": sorted(set(matches)), "cursor_start": position - len(word), "cursor_end": position, "metadata": {}}

    def inspect_request(self, request):
        code, position = located(request)
        before = NAME_BEFORE.search(code[:position])
        name = (before.group() if before else "") + NAME_AFTER.match(code, position).group()
        nothing = {"status": "ok", "found": False, "data": {}, "metadata": {}}
        if not name or keyword.iskeyword(name):
            return nothing
        try:
            value = eval(name, self.names)
        except Exception:
            return nothing
        lines = ["Type: " + type(value).__name__, "String form: " + plain(value)[:500]]
        try:
            lines.insert(0, "Signature: " + name + str(inspect.signature(value)))
        except (TypeError, ValueError):
            pass
        documentation = inspect.getdoc(value)
        if documentation:
            lines.append("Docstring:\n" + documentation)
        return {"status": "ok", "found": True, "data": {"text/plain": "\n".join(lines)}, "metadata": {}}


def located(request):
    code = str(request.get("code", ""))
    position = request.get("cursor_pos")
    return code, min(max(position, 0), len(code)) if isinstance(position, int) else len(code)
`
