"""Runs each program of this folder in a virtual environment of its own, with the package and its framework:
run.py WHEEL [FRAMEWORK...]

It needs uv. Without names, all run. `small` are those that CI runs: they need neither PyTorch nor CUDA.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent

FRAMEWORKS = {
    "pettingzoo-oldest": ("pettingzoo_.py", ["pettingzoo==1.24.0", "gymnasium"]),
    "pettingzoo-newest": ("pettingzoo_.py", ["pettingzoo", "gymnasium"]),
    "gymnasium-oldest": ("gymnasium_.py", ["gymnasium==1.1.0", "pettingzoo"]),
    "gymnasium-newest": ("gymnasium_.py", ["gymnasium", "pettingzoo"]),
    "supersuit": ("supersuit_.py", ["supersuit", "pettingzoo", "gymnasium"]),
    "stable-baselines3": ("stable_baselines3_.py", ["stable-baselines3", "pettingzoo"]),
    "rllib": ("rllib_.py", ["ray[rllib]", "torch", "pettingzoo"]),
    "sweep": ("sweep_.py", ["ray"]),
    "torch": ("torch_.py", ["torch"]),
    "torchrl": ("torchrl_.py", ["torchrl", "pettingzoo", "gymnasium"]),
    "benchmarl": ("benchmarl_.py", ["benchmarl", "pettingzoo"]),
    "tianshou": ("tianshou_.py", ["tianshou", "pettingzoo"]),
    # It imports peft, which it declares for language models only.
    "agilerl": ("agilerl_.py", ["agilerl", "peft"]),
}

SMALL = ["pettingzoo-oldest", "pettingzoo-newest", "gymnasium-newest", "supersuit", "sweep"]


def run(wheel: Path, name: str) -> bool:
    """Runs a program; returns whether it has succeeded."""
    program, packages = FRAMEWORKS[name]
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["uv", "venv", "--quiet", "--clear", "--python", sys.executable, folder], check=True)
        install = ["uv", "pip", "install", "--quiet", "--python", f"{folder}/bin/python"]
        done = subprocess.run([*install, str(wheel), *packages])
        if done.returncode == 0:
            done = subprocess.run([f"{folder}/bin/python", "-W", "ignore", str(HERE / program)], cwd=folder)
    says = "works" if done.returncode == 0 else "FAILS"
    print(f"{name:20} {says}  {time.monotonic() - begin:4.0f} s", flush=True)
    return done.returncode == 0


def main(wheel: str, *names: str) -> int:
    """Runs the named programs, or all; returns the exit code."""
    chosen = SMALL if names == ("small",) else names or tuple(FRAMEWORKS)
    unknown = [name for name in chosen if name not in FRAMEWORKS]
    if unknown:
        print(f"run.py: unknown framework {unknown[0]}; use small, {', '.join(FRAMEWORKS)}", file=sys.stderr)
        return 2
    results = [run(Path(wheel).resolve(), name) for name in chosen]
    return 0 if all(results) else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
