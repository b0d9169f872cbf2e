"""A sweep on two machines of a cluster, one of which is lost in the middle, prints the table of a single machine."""

import subprocess
import sys
import tempfile
from pathlib import Path

from ray.cluster_utils import Cluster

TEAM = """
environment = "find-goals"
steps = 3000

[parameters]
view = "global"

[[agents]]
program = "random"
"""
CONDITIONS = ["--repeat", "64", "--seed", "7", "--format", "json"]

folder = Path(tempfile.mkdtemp())
team = folder / "team.toml"
team.write_text(TEAM)
module = [sys.executable, "-m"]
expected = subprocess.run([*module, "situated", "run", team, *CONDITIONS], capture_output=True, text=True, check=True)

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
machines = [cluster.add_node(num_cpus=1) for _ in range(2)]
cluster.wait_for_nodes(120)
command = [*module, "situated.sweep", str(team), *CONDITIONS, "--ray", cluster.address]
sweep = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
progress = []
for line in sweep.stderr:
    if not line.endswith(" of 64 runs\n"):
        continue
    progress.append(int(line.split()[0]))
    if len(progress) == 2:
        cluster.remove_node(machines[1], allow_graceful=False)
assert sweep.wait(120) == 0, sweep.returncode
assert progress == sorted(set(progress)) and progress[-1] == 64 and len(progress) > 3, progress
assert sweep.stdout.read() == expected.stdout
print(f"{len(progress)} tasks, one machine lost after the second")

# Wrong options end the command before the first run.
command = [*module, "situated.sweep", "find-goals", "--repeat", "2", "--param", "view=none", "--ray", cluster.address]
failed = subprocess.run(command, capture_output=True, text=True, timeout=120)
assert (failed.returncode, failed.stdout) == (2, "") and "view" in failed.stderr, failed
cluster.shutdown()
