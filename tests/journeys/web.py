"""Somebody with a page, or with a program in Node: the JavaScript client's README, with its own ports and addresses. In a browser, where
there is one, the page of sparks shows a clash; and says what is wrong without a token."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import browser  # noqa: E402
import journey as support  # noqa: E402
import tree  # noqa: E402

README = "protocol/clients/js/README.md"
# What a page or a game has around the README's lines. Debian's Node has no WebSocket of its own.
AROUND = """import {createRequire} from "node:module";
import {readFileSync} from "node:fs";
globalThis.WebSocket ??= createRequire("/usr/share/nodejs/")("/usr/share/nodejs/ws");
const token = readFileSync(process.env.XDG_RUNTIME_DIR + "/clashd/clashd.token", "utf8").trim();
const spark = (at, intensity) => console.log("spark", at.length, typeof intensity);
const position = [0, 1.2, 0], orientation = [0, 0, 0, 1], hasTurned = false;
"""
THEN = """
const {blades, targets} = await new Promise((resolve) => new Clashd().on("hello", resolve));
console.log("there are", blades.map(({name}) => name).join(), targets.map(({name}) => name).join());
"""


def node_options():
    """With which there is a WebSocket, in Node or as Debian's package; None if with none."""
    for options in ("", "--experimental-websocket --no-warnings"):
        if shutil.which("node") and subprocess.run(["node", "-e", 'globalThis.WebSocket ?? require("/usr/share/nodejs/ws")'], check=False,
                                                   capture_output=True, env={**os.environ, "NODE_OPTIONS": options}).returncode == 0:
            return options
    return None


def script(journey, folder, text, pattern):
    (folder / "script.mjs").write_text(text)
    process = journey.start("node script.mjs", folder)
    process.wait_for(pattern)
    journey.end(process)


def node(journey, folder):
    take = journey.blocks
    script(journey, folder, AROUND + take.block(README, 'import {Clashd} from "./clashd.js"'), "^spark 3 number$")
    blocks = [take.block(README, part) for part in ('import {Clashd} from "./node.mjs"', "setInterval(", "clashd.feed(", "clashd.target(")]
    script(journey, folder, AROUND + "".join(blocks) + THEN, "^there are .*npc.*crate$")


def package(journey, folder):
    """What is installed by npm, in a project of its own."""
    install, program = journey.blocks.lines(README, "npm install"), journey.blocks.block(README, 'from "clashd-client/node"')
    if not shutil.which("npm"):
        print("note: no npm here")
        return
    project = journey.home / "project"
    project.mkdir()
    for line in install:
        journey.run(line.replace("path/to/clashd/protocol/clients/js", str(folder)), project, npm_config_offline="true",
                    npm_config_cache=str(journey.home / "cache"), npm_config_update_notifier="false")
    script(journey, project, program, "clash")


def page(journey, server, clashd, start):
    """The address as the README has it, with the token in the place of TOKEN; and alone, first where clashd asks for a token."""
    address = re.search(r"`(http://\S+#token=)TOKEN`", tree.text(README))[1]
    server.wait_for("Serving HTTP")
    server.wait_for("Serving HTTP")  # a page that cannot be loaded is not loaded again
    with_browser = browser.Browser()
    try:
        shown = with_browser.open(address + journey.token_file.read_text().strip())
        said = shown.wait_for("document.querySelector('#last')?.textContent")
        if not re.fullmatch(r"\d+: (left against right|right against left) at .* m/s", said):
            support.fail(f"the page says {said!r}")
        without = with_browser.open(address.partition("#")[0])
        said = without.wait_for("document.querySelector('#status')?.textContent.startsWith('cannot') && document.querySelector('#status').textContent")
        if "cannot connect to ws://127.0.0.1:4718: " not in said or "clashd wants a token, and none is given" not in said:
            support.fail(f"without a token the page says {said!r}")
        journey.end(clashd)
        settings = journey.home / ".config" / "clashd" / "config.json"
        settings.parent.mkdir(parents=True)
        settings.write_text('{"socket": {"require_token": false}}')
        journey.clashd(start)
        without.wait_for("document.querySelector('#status')?.textContent.startsWith('clashd ')")
    finally:
        with_browser.close()
    server.wait_for("GET /examples/sparks.html")


def main():
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    options = node_options()
    if options is None:
        tree.skip("no Node here that has a WebSocket: 22, 20.10 with a flag, or Debian's nodejs and node-ws")
    support.need_ports(4718, 8000)
    with support.Journey("journey/web") as journey:
        journey.install()
        journey.env["NODE_OPTIONS"] = options
        folder = journey.folder("protocol/clients/js")
        start, serve = journey.blocks.lines(README, "python3 -m http.server")
        clashd = journey.clashd(start)
        clashd.wait_for("listening on 127.0.0.1:4718")
        node(journey, folder)
        package(journey, folder)
        if browser.find():
            page(journey, journey.start(serve, folder, PYTHONUNBUFFERED="1"), clashd, start)
        elif os.environ.get("CLASHD_BROWSER", os.environ.get("CI")) in ("1", "true"):
            support.fail(f"no browser here, none of {', '.join(browser.NAMES)}, though one was asked for")
        else:
            print("note: no browser here: the page was left out")
    print("the README of the JavaScript client ran")


main()
