"""Fails if cargo has compiled a package that is among those of another build: compiled_again.py OUTPUT PACKAGES

OUTPUT is what cargo printed. PACKAGES has a line `NAME vVERSION ...` for each package of the other build.
"""

import sys


def packages(lines: list[str], word: int) -> set[tuple[str, ...]]:
    """The names and versions in these lines, from this word on."""
    return {tuple(line.split()[word : word + 2]) for line in lines if line.strip()}


output, others = (open(path).readlines() for path in sys.argv[1:])
shared = packages(others, 0)
if not shared:
    sys.exit("There are no packages to compare with, so this check checks nothing.")
again = packages([line for line in output if line.split()[:1] == ["Compiling"]], 1) & shared
if again:
    names = ", ".join(" ".join(package) for package in sorted(again))
    sys.exit(
        f"The Python package compiles these again, with other features or another profile than the command: {names}. "
        "Give crates/cli and bindings/python the same features of them; `cargo tree --edges features` shows both."
    )
print("The Python package uses the crates that the command has compiled.")
