"""Somebody who makes a game in Godot: a project of their own with nothing but the addon copied into it, clashd started as the addon's
README says, a Clashd node and the README's handler; the first clash makes a spark. Godot is in a Debian root of its own."""
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402
from journey import Journey, fail, need_ports  # noqa: E402

README = "protocol/clients/godot/addons/clashd/README.md"
SUPPORT = tree.ROOT / "tests" / "support"
ROOT = Path(os.environ.get("CLASHD_CACHE") or "/var/cache/clashd") / "sid-godot"
PROJECT = """config_version=5

[application]

config/name="a game"
run/main_scene="res://game.tscn"
run/flush_stdout_on_print=true
"""
SCENE = """[gd_scene load_steps=3 format=3]

[ext_resource type="Script" path="res://game.gd" id="1"]
[ext_resource type="Script" path="res://addons/clashd/clashd.gd" id="2"]

[node name="Game" type="Node3D"]
script = ExtResource("1")

[node name="Clashd" type="Node3D" parent="."]
script = ExtResource("2")
"""
GAME = """extends Node3D

@onready var clashd: Clashd = $Clashd


func _ready() -> void:
\tclashd.clash.connect(_on_clash)


func spark_at(where: Vector3, intensity: float) -> void:
\tprint("spark at ", where, " of ", intensity)
\tget_tree().quit()


"""


def game(journey, clashd):
    project = journey.home / "game"
    (project / "addons").mkdir(parents=True)
    shutil.copytree(tree.ROOT / Path(README).parent, project / "addons" / "clashd")
    (project / "project.godot").write_text(PROJECT)
    (project / "game.tscn").write_text(SCENE)
    handler = textwrap.dedent(journey.blocks.block(README, "_on_clash")).replace("    ", "\t")
    (project / "game.gd").write_text(GAME + handler)
    inside = f"CLASHD_ROOT_SHARE={journey.home} sh {SUPPORT}/in_root.sh {ROOT} env XDG_RUNTIME_DIR=/run/shared/run HOME=/tmp"
    # The editor's part: it looks through the files, and so learns the addon's classes.
    journey.run(f"{inside} godot --headless --path /run/shared/game --import", journey.home)
    said = journey.start(f"{inside} godot --headless --path /run/shared/game", journey.home).wait_for(r"^spark at \(.*\) of [0-9.]+$|ERROR.*")
    if "ERROR" in said[0]:
        fail(f"Godot says {said[0]}")
    journey.end(clashd)


def main():
    if (os.environ.get("CLASHD_GODOT") or os.environ.get("CI", "")) not in ("1", "true"):
        tree.skip("it makes a Debian root with Godot of 0.8 GB; set CLASHD_GODOT=1 to run it")
    if os.geteuid() != 0:
        tree.skip("only root can make a Debian root and namespaces")
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    if subprocess.run(["sh", SUPPORT / "make_root.sh", "--godot", ROOT], check=False).returncode != 0:
        fail("the root for Godot could not be made, see above")
    need_ports(4717)
    with Journey("journey/godot") as journey:
        journey.install()
        started = (tree.ROOT / README).read_text().split("1. `", 1)[1].split("`", 1)[0]
        clashd = journey.clashd(started)
        game(journey, clashd)


main()
