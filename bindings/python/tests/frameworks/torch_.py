"""PyTorch shares the memory of a vector: its tensors are actions, and the arrays that steps write."""

import numpy as np
import situated
import torch

ENVS = 64
vector = situated.make_vec("find-goals", ENVS, copy=False)
plain = situated.make_vec("find-goals", ENVS)
bound = situated.make_vec("find-goals", ENVS)

observations, infos = vector.reset(seed=1)
plain.reset(seed=1)
bound.reset(seed=1)
seen, masks = torch.from_dlpack(observations), torch.from_dlpack(infos["action_mask"])
assert seen.data_ptr() == observations.ctypes.data and masks.dtype == torch.bool

shape = (ENVS, vector.num_agents)
tensors = {
    "actions": torch.zeros(shape, dtype=torch.int64),
    "observations": torch.zeros((*shape, *vector.observation_shape), dtype=torch.uint8),
    "rewards": torch.zeros(shape),
    "terminated": torch.zeros(shape, dtype=torch.bool),
    "truncated": torch.zeros(shape, dtype=torch.bool),
}
bound.bind(**tensors)

for _ in range(300):
    scores = torch.rand((*shape, len(vector.actions))).masked_fill(~masks, -1.0)
    actions = scores.argmax(-1)
    vector.step(actions)
    expected, rewards, *_ = plain.step(actions.numpy())
    tensors["actions"].copy_(actions)
    bound.run()
    for told in (seen, tensors["observations"]):
        np.testing.assert_array_equal(told.numpy(), expected)
    np.testing.assert_array_equal(tensors["rewards"].numpy(), rewards)

turned = torch.zeros(shape[::-1], dtype=torch.int64).T
assert not turned.is_contiguous()
vector.step(turned)
expected, *_ = plain.step(turned.contiguous().numpy())
np.testing.assert_array_equal(seen.numpy(), expected)
