"""Where C source can be changed by one operator or sign, and into what: comparisons, && and ||, + and -, unary minus, the
sign of a constant. Comments, strings and preprocessor lines are left alone. Knows nothing of builds and tests."""
import re
from typing import NamedTuple

TOKEN = re.compile(r"""
      (?P<skip>/\*.*?\*/ | //[^\n]* | "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | ^[ \t]*\#(?:\\\n|[^\n])*)
    | (?P<space>\s+)
    | (?P<number>(?:0x[0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*)
    | (?P<word>\w+)
    | (?P<operator><<=|>>=|\+\+|--|->|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)
    """, re.VERBOSE | re.DOTALL | re.MULTILINE)
OTHERS = {"<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "==": ("!=",), "!=": ("==",),
          "&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",), "+=": ("-=",), "-=": ("+=",)}
# After these a minus is a sign, and a number stands alone.
BEFORE_A_SIGN = {"return", "case", "else"}


class Site(NamedTuple):
    """`was` at an offset of the text, on a line counted from 1; `others` are what may stand there instead."""
    offset: int
    line: int
    was: str
    others: tuple


def ends_an_operand(token):
    return token is not None and (token.lastgroup in ("number", "word") and token.group() not in BEFORE_A_SIGN
                                  or token.group() in (")", "]", "}", "++", "--"))


def others(token, before):
    """What may stand instead of a token: () where nothing may."""
    text = token.group()
    if token.lastgroup == "number":
        is_real = "." in text and float(text.rstrip("fFlL")) != 0.0
        return (f"-{text}",) if is_real and not ends_an_operand(before) and (not before or before.group() != "-") else ()
    if token.lastgroup != "operator":
        return ()
    if text in "+-" and not ends_an_operand(before):
        return ("",) if text == "-" else ()
    return OTHERS.get(text, ())


def sites(text):
    """Every site of a text, in its order."""
    before = None
    for token in TOKEN.finditer(text):
        if token.lastgroup in ("skip", "space"):
            continue
        instead = others(token, before)
        if instead:
            yield Site(token.start(), text.count("\n", 0, token.start()) + 1, token.group(), instead)
        before = token


def changed(text, site, other):
    return text[:site.offset] + other + text[site.offset + len(site.was):]
