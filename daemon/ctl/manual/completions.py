#!/usr/bin/env python3
"""completions.py TABLES SCHEMAS OUTPUT: writes completions of clashd and clashctl for bash, zsh and fish into OUTPUT, from what
`flag_tables` printed and from the schema of the settings."""
import re
import sys
from pathlib import Path

import tables

MADE = "# Made of the tables that --help goes by, when clashd was built.\n"
BASH = """# bash completion of {program}
{made}
_{name}_words() {{ mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }}
# bash's own completion of files, which knows of blanks and tildes.
_{name}_files() {{ compopt -o default; }}
_{name}_none() {{ :; }}
# What goes on behind it: a setting, a prefix, one of several with commas.
_{name}_stems() {{ compopt -o nospace; _{name}_words "$1"; }}
_{name}_list() {{
    compopt -o nospace
    mapfile -t COMPREPLY < <(compgen -P "${{cur%"${{cur##*,}}"}}" -W "$1" -- "${{cur##*,}}")
}}
_{name}_keys() {{ _{name}_stems '{keys}'; }}

_{name}() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command={program} word
    COMPREPLY=()
    # bash takes = and : for ends of words.
    if [[ $cur == [=:] ]]; then
        cur=
    elif [[ $prev == [=:] ]]; then
        prev=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    {find_command}
    case "$command $prev" in
{values}    esac
    if [[ $cur == -* ]]; then
        case $command in
{flags}        esac
        return
    fi
    [[ ${{COMP_WORDS[COMP_CWORD]}} != = && ${{COMP_WORDS[COMP_CWORD - 1]}} != = ]] || return
    case $command in
{others}    esac
}}
complete -F _{name} {program}
"""
BASH_FIND = """for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case $word in
        {names}) command=$word; break ;;
        esac
    done"""


def bash_value(kind, words):
    """What completes a value, without the program's name before it."""
    if kind == "words":
        return f"stems '{words}'" if ":" in words else f"words '{words}'"
    return {"file": "files", "list": f"list '{words}'", "key": "keys", "other": "none"}[kind]


def bash_others(program, page):
    words, files, key = tables.wanted(page)
    if key: # behind a recording
        return f"if [[ $prev == {page['command']} ]]; then _{program}_files; else _{program}_keys; fi"
    return f"_{program}_words '{' '.join(words)}'" if words else f"_{program}_files" if files else ""


def bash(program, page, keys):
    """A command stands for itself, the program for all that is before one."""
    values, flags, others = "", "", ""
    for one in [page, *page["commands"]]:
        name = one.get("command", program)
        for flag in one["flags"]:
            kind, words = tables.value_kind(flag), flag.get("words", "")
            if kind:
                values += f"    '{name} --{flag['name']}') _{program}_{bash_value(kind, words)}; return ;;\n"
            for word in words.split():
                if word.endswith(":"):
                    values += f"    '{name} {word[:-1]}') _{program}_files; return ;;\n"
        listed = [f"--{flag['name']}" for flag in one["flags"]] or ["--help", "--version"]
        flags += f"        {name}) _{program}_words '{' '.join(listed)}' ;;\n"
        after = bash_others(program, one)
        others += f"    {name}) {after} ;;\n" if after else ""
    names = [one["command"] for one in page["commands"]]
    others += f"    {program}) _{program}_words '{' '.join(names)}' ;;\n" if names else ""
    find = BASH_FIND.format(names=" | ".join(names)) if names else ":"
    return BASH.format(program=program, name=program, made=MADE, find_command=find, values=values, flags=flags,
                       others=others or "    *) ;;\n", keys=" ".join(f"{key}=" for key in keys))


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_text(text):
    return re.sub(r"([\\\[\]:])", r"\\\1", text)


def zsh_value(flag, keys):
    kind, what = tables.value_kind(flag), zsh_text(flag["argument"])
    action = {"file": "_files", "other": " "}.get(kind)
    words = flag.get("words", "").split()
    if kind == "words":
        action = f"({' '.join(word for word in words if word[-1] != ':')})"
        if any(word.endswith(":") for word in words):
            prefix = next(word for word in words if word.endswith(":"))
            rest = " ".join(word for word in words if word[-1] != ":")
            action = f"{{ compset -P {prefix[:-1]}\\: && _files || {{ compadd {rest}; compadd -S \"\" -- {prefix[:-1]}\\: }} }}"
    if kind == "list":
        action = f"_values -s , event {' '.join(words)}"
    if kind == "key":
        action = f"{{ compset -P \"*=\" || compadd -S = {' '.join(keys)} }}"
    return f":{what}:{action}"


def zsh_specs(page, keys):
    out = []
    for flag in page["flags"]:
        value = zsh_value(flag, keys) if "argument" in flag else ""
        repeats = "*" if tables.value_kind(flag) == "key" else ""
        out.append(quoted(f"{repeats}--{flag['name']}[{zsh_text(tables.first_line(flag))}]{value}"))
    words, files, key = tables.wanted(page)
    if words:
        out.append(quoted(f"1:what to do:({' '.join(words)})"))
    if key:
        out += [quoted("1:recording:_files"), quoted(f"2:setting:{{ compset -P \"*=\" || compadd -S = {' '.join(keys)} }}")]
    elif files:
        out.append(quoted("*:recording:_files"))
    return " \\\n            ".join(out)


def zsh(program, page, keys):
    if not page["commands"]:
        return f"#compdef {program}\n{MADE}\n_arguments -s \\\n            {zsh_specs(page, keys)}\n"
    listed = "\n".join(f"        {quoted(one['command'] + ':' + zsh_text(one['summary']))}" for one in page["commands"])
    cases = "\n".join(f"    {one['command']})\n        _arguments -s \\\n            {zsh_specs(one, keys)}\n        ;;"
                      for one in page["commands"])
    return f"""#compdef {program}
{MADE}
_{program}() {{
    local curcontext=$curcontext state line
    typeset -A opt_args
    local -a commands
    commands=(
{listed}
    )
    _arguments -C '(- *)--help[print what there is, and stop]' '(- *)--version[print the version, and stop]' \\
        '1: :->command' '*:: :->rest'
    case $state in
    command) _describe command commands; return ;;
    rest) ;;
    *) return ;;
    esac
    case $words[1] in
{cases}
    esac
}}

_{program} "$@"
"""


def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_flag(program, where, flag, keys):
    kind, words = tables.value_kind(flag), flag.get("words", "")
    takes = {None: "", "file": " -r -F", "other": " -x"}.get(kind)
    if takes is None:
        listed = " ".join(f"{key}=" for key in keys) if kind == "key" else words
        if kind == "list":
            listed = f"(__fish_append , {words})"
        takes = f" -x -a {fish_text(listed)}"
        if kind == "words" and ":" in words: # which a file's name follows
            takes = f" -r -a {fish_text(words)}"
    return f"complete -c {program}{where} -l {flag['name']}{takes} -d {fish_text(tables.first_line(flag))}\n"


def fish(program, page, keys):
    out = f"# fish completion of {program}\n{MADE}\ncomplete -c {program} -f\n"
    for flag in page["flags"]:
        out += fish_flag(program, "", flag, keys)
    if page["commands"]:
        for name in ("help", "version"):
            out += f"complete -c {program} -n __fish_use_subcommand -l {name}\n"
    for one in page["commands"]:
        out += (f"complete -c {program} -n __fish_use_subcommand -a {one['command']} "
                f"-d {fish_text(one['summary'])}\n")
        where = f" -n '__fish_seen_subcommand_from {one['command']}'"
        words, files, key = tables.wanted(one)
        for flag in one["flags"]:
            out += fish_flag(program, where, flag, keys)
        if words:
            out += (f"complete -c {program} -n '__fish_seen_subcommand_from {one['command']}; and not __fish_seen_subcommand_from "
                    f"{' '.join(words)}' -a {fish_text(' '.join(words))}\n")
        if files:
            out += f"complete -c {program}{where} -F\n"
        if key:
            out += f"complete -c {program}{where} -a {fish_text(' '.join(f'{one}=' for one in keys))}\n"
    return out


def main():
    path, schemas, output = sys.argv[1:]
    _, programs = tables.load(path)
    keys = tables.setting_keys(schemas)
    Path(output).mkdir(exist_ok=True)
    for program, page in programs.items():
        for name, make in ((f"{program}.bash", bash), (f"_{program}", zsh), (f"{program}.fish", fish)):
            (Path(output) / name).write_text(make(program, page, keys))


if __name__ == "__main__":
    main()
