"""An environment of Gymnasium on a server, for any agent: `situated serve & python host_frozen_lake.py`.

python host_frozen_lake.py [URL]
"""

from __future__ import annotations

import asyncio
import sys

import gymnasium
import situated

if __name__ == "__main__":
    url = sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:7467"
    lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
    print(f"The lake is on {url}, until it is killed there: act(0) goes left, act(1) down, act(2) right, act(3) up.")
    try:
        asyncio.run(situated.host(lake, url, name="lake"))
    except KeyboardInterrupt:
        pass
