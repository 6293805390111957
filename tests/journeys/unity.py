"""Somebody who makes a game in Unity, as far as it goes without Unity: the package is where the git URL of its README says, the sample
Duel clashes with clashd as the README starts it, and the README's C# compiles in a component. Mono and as much of an engine as
tests/support has stand in."""
import json
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import tree  # noqa: E402
from journey import Journey, fail, need_ports  # noqa: E402

README = "protocol/clients/unity/README.md"
COMPONENT = """
using Clashd;
using UnityEngine;
public sealed class OfTheReadme : MonoBehaviour
{
    public ClashdReceiver receiver;
    private void Spark(Vector3 at, float intensity) { }
    private void Chip(string target, Vector3 at, Vector3 normal) { }
    private void OnEnable()
    {
%s    }
}
"""


def package(journey):
    """Its folder as Unity gets it by the git URL: what is committed, and nothing of Unity's own is missing."""
    path = (tree.ROOT / README).read_text().split("`?path=/", 1)[1].split("`", 1)[0]
    if not (tree.ROOT / ".git").exists():
        return journey.folder(path)
    there = journey.home / "package"
    there.mkdir()
    journey.run(f"git -c safe.directory='*' -C {tree.ROOT} archive HEAD:{path} | tar -x -C {there}", journey.home)
    return there


def without_meta(folder):
    """What Unity would not import: it takes no file of a package that has no .meta beside it."""
    return [str(path) for path in sorted(folder.rglob("*"))
            if path.suffix != ".meta" and not any(part.endswith("~") or part.startswith(".") for part in path.relative_to(folder).parts)
            and not Path(f"{path}.meta").exists()]


def build(journey, folder):
    (journey.home / "readme.cs").write_text(COMPONENT % journey.blocks.block(README, "receiver.Clash"))
    sources = [*sorted(folder.glob("Runtime/*/*.cs")), *folder.glob("Editor/*.cs"), *folder.glob("Samples~/*/*.cs"),
               *sorted(tree.ROOT.glob("tests/support/unity_*.cs")), journey.home / "readme.cs"]
    journey.run(f"mcs -langversion:7 -nowarn:649 -r:System.Core.dll -out:scene.exe {' '.join(map(str, sources))}", journey.home)


def main():
    if tree.cache_value("CLASHD_SANITIZE"):
        tree.skip("a sanitized build is not for installing")
    if not shutil.which("mcs") or not shutil.which("mono"):
        tree.skip("no Mono here: apt-get install mono-mcs mono-runtime libmono-system-core4.0-cil")
    need_ports(4717)
    with Journey("journey/unity") as journey:
        journey.install()
        folder = package(journey)
        manifest = json.loads((folder / "package.json").read_text())
        lost = without_meta(folder) + [sample["path"] for sample in manifest["samples"] if not (folder / sample["path"]).is_dir()]
        if lost:
            fail(f"the package lacks {lost}")
        build(journey, folder)
        clashd = journey.start(journey.blocks.lines(README, "clashd --tcp 4717")[0], journey.home)
        clashd.wait_for("listening on 127.0.0.1:4717")
        watch = journey.start("clashctl watch", journey.home)
        game = subprocess.Popen(["mono", "scene.exe", "prefab", "127.0.0.1", "4717", ""], cwd=journey.home, env=journey.env,
                                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            watch.wait_for(r"clash")
        finally:
            game.stdin.close()
            game.wait(60)
        journey.end(clashd)


main()
