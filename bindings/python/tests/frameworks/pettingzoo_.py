"""PettingZoo's own tests, and its conversions."""

import situated
from pettingzoo.test import api_test, parallel_api_test
from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec

for name, parameters in (("find-goals", {}), ("bw4t", {"robots": 2}), ("wumpus", {})):
    parallel_api_test(situated.parallel_env(name, max_cycles=50, **parameters), num_cycles=200)
    api_test(situated.aec_env(name, max_cycles=50, **parameters), num_cycles=200)
converted = aec_to_parallel(situated.aec_env("find-goals", max_cycles=10))
converted.reset(seed=1)
while converted.agents:
    converted.step(dict.fromkeys(converted.agents, 0))
api_test(parallel_to_aec(situated.parallel_env("find-goals", max_cycles=50)), num_cycles=100)
