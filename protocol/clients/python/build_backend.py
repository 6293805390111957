"""Builds the package for pip (PEP 517) out of pyproject.toml, with the standard library alone: `pip install .` downloads nothing, and works
in a folder that is not writable."""
from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PROJECT: dict[str, Any] = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
NAME = f"{PROJECT['name']}-{PROJECT['version']}"
INFO = f"{NAME}.dist-info"
WHEEL = "Wheel-Version: 1.0\nGenerator: clashd\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
SOURCES = ("pyproject.toml", "build_backend.py", "README.md", "LICENSE")


def _metadata() -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {PROJECT['name']}", f"Version: {PROJECT['version']}", f"Summary: {PROJECT['description']}",
             f"Keywords: {','.join(PROJECT['keywords'])}", f"License: {PROJECT['license']['text']}",
             f"Requires-Python: {PROJECT['requires-python']}", *(f"Classifier: {word}" for word in PROJECT["classifiers"])]
    for extra, needed in PROJECT["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        for requirement in needed:
            package, _, marker = requirement.partition(";")
            condition = f"extra == '{extra}'" + (f" and ({marker.strip()})" if marker else "")
            lines.append(f"Requires-Dist: {package.strip()}; {condition}")
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (HERE / str(PROJECT["readme"])).read_text()


def _package() -> dict[str, bytes]:
    return {f"clashd/{path.name}": path.read_bytes() for path in sorted((HERE / "src" / "clashd").iterdir()) if path.is_file()}


def _write_wheel(directory: str, files: dict[str, bytes]) -> str:
    """The wheel's name. The same files always give the same bytes."""
    files = {**files, f"{INFO}/METADATA": _metadata().encode(), f"{INFO}/WHEEL": WHEEL.encode(),
             f"{INFO}/LICENSE": (HERE / "LICENSE").read_bytes()}
    record = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
    files[f"{INFO}/RECORD"] = "".join([*record, f"{INFO}/RECORD,,\n"]).encode()
    with zipfile.ZipFile(Path(directory) / f"{NAME}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return f"{NAME}-py3-none-any.whl"


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    return _write_wheel(wheel_directory, _package())


def build_editable(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    return _write_wheel(wheel_directory, {"clashd.pth": f"{HERE / 'src'}\n".encode()})


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    with tarfile.open(Path(sdist_directory) / f"{NAME}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in [*map(HERE.joinpath, SOURCES), *sorted((HERE / "src" / "clashd").iterdir())]:
            if path.is_file():
                archive.add(path, f"{NAME}/{path.relative_to(HERE)}")
        info = tarfile.TarInfo(f"{NAME}/PKG-INFO")
        data = _metadata().encode()
        info.size = len(data)
        archive.addfile(info, io.BytesIO(data))
    return f"{NAME}.tar.gz"
