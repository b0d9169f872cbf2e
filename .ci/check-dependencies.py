"""Checks the dependencies against deny.toml: licences, banned crates, duplicates, sources."""

import json
import subprocess
import sys
from collections import defaultdict

import tomli
from license_expression import get_spdx_licensing


def metadata():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--all-features"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def licence_is_allowed(expression, allowed, licensing):
    """Returns whether the accepted licences satisfy the expression."""
    parsed = licensing.parse(expression.replace("/", " OR "))
    granted = {symbol: licensing.TRUE if symbol.render() in allowed else licensing.FALSE for symbol in parsed.symbols}
    return parsed.subs(granted).simplify() == licensing.TRUE


def mistakes(rules, packages):
    licensing, allowed = get_spdx_licensing(), set(rules["licenses"]["allow"])
    banned = {ban["name"]: ban["reason"] for ban in rules["bans"]["deny"]}
    unused = {(skip["name"], skip["version"]) for skip in rules["bans"]["skip"]}
    versions = defaultdict(list)
    for package in packages:
        name, version, source = package["name"], package["version"], package["source"]
        if name in banned:
            yield f"{name} is banned: {banned[name]}"
        if source is None:
            continue
        if source.removeprefix("registry+") not in rules["sources"]["allow-registry"]:
            yield f"{name} {version} comes from {source}, which is no registry that is allowed"
        if not licence_is_allowed(package["license"] or "", allowed, licensing):
            yield f"{name} {version} has the licence {package['license']}, which is not allowed"
        skip = next((skip for skip in unused if skip[0] == name and f"{version}.".startswith(f"{skip[1]}.")), None)
        if skip is None:
            versions[name].append(version)
        else:
            unused.remove(skip)
    for name, several in versions.items():
        if len(several) > 1:
            yield f"{name} is there in several versions: {', '.join(several)}"
    for name, version in unused:
        yield f"{name} {version} is to be skipped and is not there"


with open("deny.toml", "rb") as file:
    found = list(mistakes(tomli.load(file), metadata()["packages"]))
if found:
    sys.exit("\n".join([*found, "Depend on something else, or change deny.toml and say why."]))
print("The dependencies keep to deny.toml.")
