"""Makes steps through the client of OpenEnv for a time, and prints their number in a second: client.py URL SECONDS OPTIONS"""

import json
import sys
import time

from openenv import GenericEnvClient

with GenericEnvClient(base_url=sys.argv[1]).sync() as environment:
    environment.reset(seed=1, **json.loads(sys.argv[3]))
    for number in range(100):
        environment.step({"action": number % 5})
    begin, steps = time.perf_counter(), 0
    while (passed := time.perf_counter() - begin) < float(sys.argv[2]):
        environment.step({"action": steps % 5})
        steps += 1
    print(steps / passed)
