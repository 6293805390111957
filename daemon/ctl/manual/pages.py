"""Text of the tables as man(7): what a man page is put together from."""
import re

INLINE = re.compile(r"`([^`]+)`")


def plain(text):
    """A piece of a line: what troff would read as something else is escaped."""
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")


def line(text):
    """With what stands between backquotes in bold."""
    out = INLINE.sub(lambda found: "\\fB" + found[1] + "\\fP", plain(text))
    return "\\&" + out if out.startswith(".") else out


def literal(lines):
    return [".PP", ".nf", ".RS 4", *(line(text) for text in lines), ".RE", ".fi"]


def flowing(text):
    """Paragraphs; lines that begin with two blanks stand as they are."""
    out = []
    for block in re.split(r"\n\n+", text.strip("\n")):
        kept = []
        for one in block.split("\n"):
            if one.startswith("  "):
                kept.append(one)
                continue
            out += literal(kept) if kept else []
            kept = []
            if not out or out[-1] in (".fi", ""):
                out.append(".PP")
            out.append(line(one))
        out += literal(kept) if kept else []
        out.append("")
    return [one for one in out if one]


def bold(text):
    return f"\\fB{plain(text)}\\fP"


def italic(text):
    return f"\\fI{plain(text)}\\fP"


def synopsis(*words, arguments=""):
    """A line: names in bold, values in italics."""
    shown = [bold(word) for word in words]
    for word in arguments.split():
        if word == "[OPTION..]":
            shown.append("[" + italic("OPTION") + " ...]")
        else:
            shown.append("".join(italic(part) if part.isupper() else plain(part) if re.fullmatch(r"\W+", part) else bold(part)
                                 for part in re.split(r"(\W+)", word) if part))
    return " ".join(shown)


def number(value):
    return f"{value:g}"


def option(flag):
    argument = " " + italic(flag["argument"]) if "argument" in flag else ""
    out = [".TP", bold("--" + flag["name"]) + argument, *(line(one) for one in flag["help"].split("\n"))]
    if flag["type"] == "number":
        out += [line(f"(from {number(flag['least'])} to {number(flag['most'])})")]
    return out


def options(page):
    return [one for flag in page["flags"] for one in option(flag)]


def document(name, section, date, version, description, body):
    """`name`(`section`) as a whole."""
    manual = {1: "User Commands", 5: "File Formats"}[section]
    lines = [one for before, one in zip([None, *body], body) if not (one == ".PP" and before and before.startswith((".SH", ".SS")))]
    return "\n".join([f'.TH {plain(name).upper()} {section} "{date}" "clashd {version}" "{manual}"', ".ad l", ".nh", ".SH NAME",
                      f"{plain(name)} \\- {plain(description)}", *lines]) + "\n"
