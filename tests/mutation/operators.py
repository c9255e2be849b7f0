# SPDX-License-Identifier: Apache-2.0
"""Small faults that can be planted in C source text.

changes_of() reads tokens, so that comments, strings, preprocessor lines and
asserts stay as they are. No change adds or removes a line.
"""
import collections
import re

# start and end are offsets into the text; what stands there becomes `new`.
Change = collections.namedtuple("Change", "line operator start end new")
Token = collections.namedtuple("Token", "kind text start line")

PATTERN = re.compile(r"""
    (?P<space>\s+ | //[^\n]* | /\*.*?\*/)
  | (?P<directive>\#(?:[^\n\\]|\\.)*)
  | (?P<text>[LuU]?"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|&&|\|\||[<>=!+\-*/%&|^]=|.)
""", re.VERBOSE | re.DOTALL)

SWAPPED = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "==": ("!=",), "!=": ("==",), "&&": ("||",), "||": ("&&",),
    "+=": ("-=",), "-=": ("+=",), "|=": ("&=",), "++": ("--",), "--": ("++",),
}
# These have another meaning where no value stands before them.
SWAPPED_BETWEEN_VALUES = {
    "+": ("-",), "-": ("+",), "/": ("*",), "%": ("/",), "<<": (">>",),
    ">>": ("<<",), "&": ("|",), "|": ("&",),
}
KEYWORDS = frozenset("""break case const continue default do else enum extern
    for goto if inline int char long short void unsigned signed return sizeof
    static struct switch typedef union volatile while bool float double
    _Atomic _Thread_local""".split())
STATUSES = frozenset("""dnnl_success dnnl_out_of_memory dnnl_invalid_arguments
    dnnl_unimplemented dnnl_runtime_error dnnl_cache_miss
    dnnl_cache_blob_corrupt dnnl_cache_blob_stale
    dnnl_cache_blob_unsupported""".split())
# What a cast to the type may lose.
NARROWER = {"size_t": "uint16_t", "uint64_t": "uint32_t",
            "uint32_t": "uint16_t", "int64_t": "int32_t", "off_t": "int16_t"}
ASSERTS = frozenset(("assert", "static_assert", "_Static_assert"))
# After the name a statement of these begins with: a call or an assignment.
STATEMENT_GOES_ON = frozenset(("(", "->", ".", "[", "=", "+=", "-=", "|=", "&=",
                               "*=", "++", "--"))


def tokens_of(text):
    """The tokens of C source text, without comments and directives."""
    tokens = []
    line = 1
    for match in PATTERN.finditer(text):
        kind = match.lastgroup
        if kind not in ("space", "directive"):
            tokens.append(Token(kind, match[0], match.start(), line))
        line += match[0].count("\n")
    return tokens


def closers(tokens):
    """{index of an opening parenthesis: index of the closing one}"""
    pairs = {}
    opened = []
    for index, token in enumerate(tokens):
        if token.text == "(":
            opened.append(index)
        elif token.text == ")" and opened:
            pairs[opened.pop()] = index
    return pairs


class Finder:
    """The changes of one text."""

    def __init__(self, text):
        self.text = text
        self.tokens = tokens_of(text)
        self.closer = closers(self.tokens)
        self.opener = {close: open_ for open_, close in self.closer.items()}
        self.changes = []

    def text_at(self, index):
        """A token's text; "" outside."""
        if 0 <= index < len(self.tokens):
            return self.tokens[index].text
        return ""

    def add(self, operator, first, last, new):
        """Replaces the tokens `first` to `last`; keeps the lines' number."""
        start = self.tokens[first].start
        end = self.tokens[last].start + len(self.tokens[last].text)
        new += "\n" * (self.text.count("\n", start, end) - new.count("\n"))
        self.changes.append(Change(self.tokens[first].line, operator, start,
                                   end, new))

    def follows_value(self, index):
        """Whether an operator at the index has a value before it."""
        token = self.tokens[index - 1]
        return (token.kind in ("name", "number") and token.text not in KEYWORDS
                or token.text in ")]")

    def swap(self, index):
        """Another operator."""
        sign = self.tokens[index].text
        others = SWAPPED.get(sign, ())
        if not others and self.follows_value(index):
            others = SWAPPED_BETWEEN_VALUES.get(sign, ())
        for other in others:
            self.add(f"{sign} to {other}", index, index, other)

    def change_value(self, index):
        """Another constant, status, or width."""
        token = self.tokens[index]
        if token.kind == "number":
            match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[1-9]\d*|0)([uUlL]*)",
                                 token.text)
            if match:
                value = int(match[1], 0)
                for other in {value + 1, max(value - 1, 1)} - {value}:
                    self.add("constant off by one", index, index,
                             f"{other}{match[2]}")
        elif token.text in ("true", "false"):
            self.add("other truth", index, index,
                     "false" if token.text == "true" else "true")
        elif token.text == "dnnl_success":
            self.add("other status", index, index, "dnnl_runtime_error")
        elif token.text in STATUSES:
            self.add("other status", index, index, "dnnl_success")
        elif (token.text in NARROWER and self.text_at(index - 1) == "("
              and self.text_at(index + 1) == ")"
              and self.text_at(index - 2) != "sizeof"):
            self.add("cast narrowed", index, index, NARROWER[token.text])
            self.add("cast dropped", index - 1, index + 1, "")

    def end_of_statement(self, index):
        """Index of the semicolon."""
        while index < len(self.tokens) and self.tokens[index].text != ";":
            if self.tokens[index].text in "{}":
                return None
            index = self.closer.get(index, index) + 1
        return index if index < len(self.tokens) else None

    def starts_statement(self, index):
        """Whether a statement may begin with the token."""
        before = self.text_at(index - 1)
        if before in (";", "{", "}", "else", "do", ":"):
            return True
        opened = self.opener.get(index - 1)
        return opened is not None and self.text_at(opened - 1) in (
            "if", "for", "while", "switch")

    def change_statement(self, index):
        """No statement; another result; a condition the other way round."""
        token = self.tokens[index]
        after = self.text_at(index + 1)
        if token.text in ("if", "while") and after == "(":
            close = self.closer[index + 1]
            first, last = self.tokens[index + 2], self.tokens[close - 1]
            condition = self.text[first.start:last.start + len(last.text)]
            self.add("condition negated", index + 2, close - 1,
                     f"!({condition})")
            return
        if not self.starts_statement(index):
            return
        end = self.end_of_statement(index)
        if end is None:
            return
        if token.text == "return":
            value = [self.text_at(i) for i in range(index + 1, end)]
            if value and not (len(value) == 1 and (
                    value[0] in STATUSES
                    or value[0] in ("0", "NULL", "true", "false"))):
                self.add("zero returned", index + 1, end - 1, "0")
        elif token.text in ("goto", "break", "continue"):
            self.add("jump deleted", index, end - 1, "")
        elif (token.kind == "name" and token.text not in KEYWORDS
              and after in STATEMENT_GOES_ON):
            self.add("statement deleted", index, end - 1, "")

    def find(self):
        """All changes inside of functions."""
        depth = 0
        parentheses = 0
        index = 0
        while index < len(self.tokens):
            token = self.tokens[index]
            if token.text in ASSERTS and self.text_at(index + 1) == "(":
                index = self.closer.get(index + 1, index) + 1
                continue
            depth += (token.text == "{") - (token.text == "}")
            parentheses += (token.text == "(") - (token.text == ")")
            if depth > 0:
                if token.kind == "sign":
                    self.swap(index)
                else:
                    self.change_value(index)
                    if parentheses == 0 and token.kind == "name":
                        self.change_statement(index)
            index += 1
        return self.changes


def changes_of(text):
    """Every change of the text that this module knows."""
    return Finder(text).find()


def apply(text, change):
    """The text with the change made."""
    return text[:change.start] + change.new + text[change.end:]
