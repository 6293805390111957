"""What a developer meets of the Godot addon: no script has a warning, strict settings included; and the editor knows its classes by their
icons, draws blades and targets, and warns of what is missing. Godot runs headless in a Debian root of its own."""
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
import monado_root  # noqa: E402

SUPPORT = clashd.SOURCE / "tests" / "support"
ADDON = clashd.SOURCE / "protocol" / "clients" / "godot"
ROOT = Path(os.environ.get("CLASHD_CACHE") or "/var/cache/clashd") / "sid-godot"
# All of Godot 4.6's but those that forbid duck typing, which a copy without a cache of its classes needs.
WARNINGS = """unassigned_variable unassigned_variable_op_assign unused_variable unused_local_constant unused_private_class_variable
unused_parameter unused_signal shadowed_variable shadowed_variable_base_class shadowed_global_identifier unreachable_code
unreachable_pattern standalone_expression standalone_ternary incompatible_ternary untyped_declaration unsafe_void_return
static_called_on_instance missing_tool redundant_static_unload redundant_await integer_division narrowing_conversion
int_as_enum_without_cast int_as_enum_without_match enum_variable_without_default empty_file deprecated_keyword
confusable_identifier confusable_local_declaration confusable_local_usage confusable_capture_reassignment
property_used_as_function constant_used_as_function function_used_as_property""".split()


class Addon(clashd.TestCase):
    def setUp(self):
        super().setUp()
        self.project = self.home / "project"
        shutil.copytree(ADDON, self.project, ignore=shutil.ignore_patterns(".godot"))

    def change_settings(self, change):
        settings = self.project / "project.godot"
        settings.write_text(change(settings.read_text()))

    def run_godot(self, *words):
        done = subprocess.run(["sh", SUPPORT / "in_root.sh", ROOT, "godot", "--headless", "--xr-mode", "off", "--path",
                               "/run/shared/project", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, env={**os.environ, "CLASHD_ROOT_SHARE": str(self.home)}, timeout=clashd.WAIT_S)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_no_script_has_a_warning(self):
        shutil.copy(SUPPORT / "godot_lint.gd", self.project)
        (self.project / "bad.gd").write_text("extends Node\n\nfunc f(unused: int) -> void:\n\tpass\n")
        lines = "".join(f"gdscript/warnings/{name}=2\n" for name in WARNINGS)
        self.change_settings(lambda text: text + "\n[debug]\n\ngdscript/warnings/directory_rules={}\n" + lines)
        said = self.run_godot("--script", "res://godot_lint.gd")
        loaded = {line.removeprefix("loaded res://") for line in said.splitlines() if line.startswith("loaded ")}
        scripts = {str(path.relative_to(ADDON)) for path in ADDON.rglob("*.gd")}
        self.assertLess(10, len(scripts))
        self.assertEqual(scripts - loaded, set(), said)
        self.assertIn("failed res://bad.gd", said)  # it does look

    def test_what_the_editor_shows(self):
        shutil.copytree(SUPPORT / "godot_editor", self.project / "addons" / "check")
        own = '"res://addons/clashd/plugin.cfg"'
        self.change_settings(lambda text: text.replace(own, own + ', "res://addons/check/plugin.cfg"'))
        said = self.run_godot("--editor")
        found = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        self.assertTrue(found and found[-1] == {"done": True}, said)
        nodes = {item["node"]: item for item in found if "node" in item}
        for node, word in (("NoClashd", "No Clashd node"), ("Ball", "Hilt and tip"), ("Uneven", "unevenly"), ("Shapeless", "no shape"),
                           ("Plane", "WorldBoundaryShape3D"), ("Picture", "resolved_poses"), ("Clashd", None), ("Good", None), ("Box", None)):
            warnings = nodes[node]["warnings"]
            self.assertEqual(len(warnings), 0 if word is None else 1, nodes[node])
            self.assertIn(word or "", "".join(warnings))
        self.assertEqual({name for name, item in nodes.items() if item["gizmos"]}, {
            name for name, item in nodes.items() if item["class"] in ("ClashdBlade", "ClashdTarget")})
        classes = {item["class"]: item["icon_is_there"] for item in found if "icon" in item}
        self.assertEqual(classes, {f"Clashd{what}": True for what in ("", "Blade", "Target", "Part", "Picture")}, said)
        complaints = [line for line in said.splitlines() if "ERROR" in line and "X509Certificate" not in line]
        self.assertFalse(complaints, said)
        self.assertNotIn("cannot connect", said)  # an editor is no game


def main():
    if (os.environ.get("CLASHD_GODOT") or os.environ.get("CI", "")) not in ("1", "true"):
        monado_root.skip("it makes a Debian root with Godot of 0.8 GB; set CLASHD_GODOT=1 to run it")
    if os.geteuid() != 0:
        monado_root.skip("only root can make a Debian root and namespaces")
    if subprocess.run(["sh", SUPPORT / "make_root.sh", "--godot", ROOT]).returncode != 0:
        sys.exit("the root for Godot could not be made, see above")
    unittest.main()


main()
