"""clashctl layer: a game has the layer after `enable`, and says so in `status`; not after `disable`; and what is in the way is
named."""
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import clashd  # noqa: E402
from layer_server import Server  # noqa: E402

LAYER = clashd.BUILD / "daemon" / "layer" / "libclash_layer.so"
GAME = clashd.BUILD / "tests" / "layer_game"
MANIFEST = "openxr/1/api_layers/implicit.d/XR_APILAYER_CLASHD_poses.json"


class LayerCommandTest(clashd.TestCase):
    def run_layer(self, *words, code=0, **env):
        done = subprocess.run([clashd.CLASHCTL, "layer", *words], capture_output=True, text=True, timeout=clashd.WAIT_S,
                              env=clashd.environment(self.home, **env))
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code < 2 else done.stderr

    def state(self, code=0, **env):
        """Without the games: other tests' may be among them."""
        found = json.loads(self.run_layer("status", "--json", code=code, **env))
        self.games = found.pop("games")
        return found

    def test_from_enable_to_disable(self):
        manifest = self.home / ".local/share" / MANIFEST
        self.assertEqual(self.state(code=1), {"enabled": False, "manifest": str(manifest), "loads": False,
                                              "problem": "it is not enabled"})
        self.run_layer("enable")
        self.run_layer("enable")
        self.assertEqual([path.name for path in manifest.parent.iterdir()], [manifest.name])
        self.assertEqual(self.state(), {"enabled": True, "manifest": str(manifest), "library": str(LAYER), "loads": True})
        socket = self.home / "feed.sock"
        env = clashd.environment(self.home, CLASHD_SOCKET=socket, LAYER_GAME_FED=self.home / "fed", XR_LOADER_DEBUG="none",
                                 XR_RUNTIME_JSON=clashd.BUILD / "daemon/runtime/clash_runtime.json")
        with Server(socket, fed=self.home / "fed") as server:
            with subprocess.Popen([GAME, "plain", "20000"], env=env, stdout=subprocess.DEVNULL) as game:
                self.addCleanup(game.kill)
                while not Path(self.home / "fed.1").exists():
                    self.assertIsNone(game.poll())
                self.state()
                self.assertIn({"pid": game.pid, "name": "layer_game"}, self.games)
                self.assertIn(f"{game.pid} layer_game\n", self.run_layer("status"))
                game.kill()
            self.assertEqual(server.feeds[0]["source"], "layer")
        self.run_layer("disable")
        self.assertIn("was not enabled", self.run_layer("disable"))
        self.assertFalse(self.state(code=1)["enabled"])
        self.assertEqual(list(manifest.parent.iterdir()), [])

    def test_data_home_counts_where_it_is_a_path(self):
        self.run_layer("enable", XDG_DATA_HOME=self.home / "data")
        self.assertTrue((self.home / "data" / MANIFEST).is_file())
        self.assertTrue(self.state(code=1, XDG_DATA_HOME="data")["manifest"].startswith(f"{self.home}/.local/share/"))
        self.assertIn("HOME or XDG_DATA_HOME: expected", self.run_layer("enable", code=2, HOME="here"))

    def test_what_is_in_the_way_is_named(self):
        manifest = self.home / ".local/share" / MANIFEST
        self.assertIn("expected enable, disable or status", self.run_layer(code=2))
        self.assertIn("expected enable, disable or status", self.run_layer("enable", "twice", code=2))
        self.assertIn("/nowhere/layer.so: No such file or directory", self.run_layer("enable", code=2,
                                                                                    CLASHD_LAYER="/nowhere/layer.so"))
        self.assertFalse(manifest.exists())
        self.run_layer("enable")
        self.assertIn("goes without it", self.state(DISABLE_XR_APILAYER_CLASHD_poses=1)["problem"])
        text = json.loads(manifest.read_text())
        for library, problem in (("/nowhere/layer.so", "/nowhere/layer.so: cannot open"), (str(clashd.BUILD / "tests/faults.so"), "not an API layer")):
            text["api_layer"]["library_path"] = library
            manifest.write_text(json.dumps(text))
            self.assertIn(problem, self.state(code=1)["problem"])
        for damaged in ("", "{", "[]", '{"api_layer":{"library_path":7}}', "x" * 100000):
            manifest.write_text(damaged)
            self.assertIn("is no manifest", self.state(code=1)["problem"])
        self.run_layer("enable")
        self.state()

    @unittest.skipIf(clashd.is_sanitized(), "a program without the sanitizer cannot load the layer")
    def test_a_library_cut_short(self):
        """Wherever it ends: `enable` refuses it, as no game would start with it; and what then is enabled is found by `status`."""
        manifest = self.home / ".local/share" / MANIFEST
        whole, library = LAYER.read_bytes(), self.home / "libclash_layer.so"
        for length in (0, 10, 1000, len(whole) // 4, len(whole) // 2, len(whole) * 3 // 4):
            library.write_bytes(whole[:length])
            self.assertIn("does not load: ", self.run_layer("enable", code=2, CLASHD_LAYER=library))
            self.assertFalse(manifest.exists())
        library.write_bytes(whole)
        self.run_layer("enable", CLASHD_LAYER=library)
        self.assertTrue(self.state()["loads"])
        for length in (10, 1000, len(whole) // 2):
            library.write_bytes(whole[:length])
            state = self.state(code=1)
            self.assertEqual((state["enabled"], state["loads"]), (True, False))
            self.assertTrue(state["problem"])
            self.assertIn(f"{library}, does not load\n", self.run_layer("status", code=1))
        library.write_bytes(whole)
        self.assertIn("does not speak WebSocket", self.state(CLASHD_SOCKET="ws://127.0.0.1:4718")["problem"])

    def test_no_place_to_write(self):
        place = self.home / ".local/share/openxr"
        place.parent.mkdir(parents=True)
        place.write_text("a file")
        self.assertIn("Not a directory", self.run_layer("enable", code=2))
        self.assertEqual(self.run_layer("disable"), "It was not enabled.\n")
        place.unlink()
        if os.geteuid() != 0:
            place.parent.chmod(0o500)
            self.assertIn("Permission denied", self.run_layer("enable", code=2))


if __name__ == "__main__":
    if not LAYER.exists():
        print(f"skipped: {LAYER} has not been built")
        sys.exit(77)
    unittest.main()
