"""Fails if cargo has compiled a package that is among those of another build: compiled_again.py PACKAGES

Reads cargo's messages from the standard input. PACKAGES has a line `name vVERSION ...` for each package of the other build.
"""

import json
import sys


def package(identifier: str) -> tuple[str, str]:
    """The name and version in an identifier of cargo: `SOURCE#NAME@VERSION`, or `.../NAME#VERSION`."""
    source, _, fragment = identifier.rpartition("#")
    name, _, version = fragment.rpartition("@")
    return name or source.rpartition("/")[2], f"v{version}"


with open(sys.argv[1]) as file:
    shared = {tuple(line.split()[:2]) for line in file if line.strip()}
artifacts = [message for message in map(json.loads, sys.stdin) if message["reason"] == "compiler-artifact"]
if not any(package(artifact["package_id"]) in shared for artifact in artifacts):
    sys.exit("The builds have no package in common, so this check checks nothing.")
again = {package(artifact["package_id"]) for artifact in artifacts if not artifact["fresh"]} & shared
if again:
    names = ", ".join(f"{name} {version}" for name, version in sorted(again))
    sys.exit(
        f"The Python package compiles these again, with other features or another profile than the command: {names}. "
        "Give crates/cli and bindings/python the same features of them; `cargo tree --edges features` shows both."
    )
print("The Python package uses the crates that the command has compiled.")
