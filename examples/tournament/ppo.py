"""Robots learn Blocks World for Teams by PPO, with one network for all of them.

Proximal policy optimization (Schulman and others 2017) with JAX. A robot on its way has nothing to decide, so what
happens until it stands again belongs to its last decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from network import Weights, initial, inputs, outputs, preferences
from sight import Plan, hurry, make_vector, see

ENVS, STEPS = 256, 32
"""Number of envs, and steps of each in an iteration."""
DISCOUNT, TRACE = 0.99, 0.95
"""The discount of a decision, and the decay of the traces of generalized advantages."""
HURRY, SCHEDULE = 20.0, 200
"""The factor for the cost of time, and the iterations in which it grows from 1 to that, while other rates fall to 0.

Training ends earlier. If time costs too much for what a robot can deliver, it learns to wait, since steps in which all
robots stand take almost no time.
"""
EPOCHS, BATCH, RATE, CLIP, ENTROPY = 3, 1024, 1e-3, 0.2, 0.01


class Batch(NamedTuple):
    """Decisions of robots."""

    itself: Any
    rooms: Any
    open: Any
    choices: Any
    likelihoods: Any
    """The logarithm of the probability with which each choice was made."""
    advantages: Any
    returns: Any


class Adam(NamedTuple):
    """The state of the optimizer (Kingma and Ba 2015)."""

    steps: Any
    means: Any
    squares: Any


@jax.jit
def decide(weights: tuple[Weights, Weights], itself: Any, rooms: Any, open: Any, key: Any) -> tuple[Any, Any, Any]:
    """Returns a random choice of each robot, its log-likelihood, and the value of the robot's situation."""
    policy, critic = weights
    logits = jax.nn.log_softmax(preferences(policy, itself, rooms, open, jnp))
    choices = jax.random.categorical(key, logits)
    return choices, jnp.take_along_axis(logits, choices[..., None], -1)[..., 0], value(critic, itself, rooms)


def value(critic: Weights, itself: Any, rooms: Any) -> Any:
    """Returns the value of each robot's situation: the only output that does not belong to a room."""
    return outputs(critic, itself, rooms, jnp)[1][..., 0]


def loss(weights: tuple[Weights, Weights], batch: Batch, entropy: Any) -> Any:
    """Returns the loss of PPO for the policy and the critic."""
    policy, critic = weights
    logits = jax.nn.log_softmax(preferences(policy, batch.itself, batch.rooms, batch.open, jnp))
    ratio = jnp.exp(jnp.take_along_axis(logits, batch.choices[:, None], -1)[:, 0] - batch.likelihoods)
    clipped = jnp.clip(ratio, 1 - CLIP, 1 + CLIP)
    gain = jnp.minimum(ratio * batch.advantages, clipped * batch.advantages).mean()
    spread = -(jnp.exp(logits) * jnp.where(batch.open, logits, 0)).sum(-1).mean()
    error = jnp.square(value(critic, batch.itself, batch.rooms) - batch.returns).mean()
    return 0.5 * error - gain - entropy * spread


@jax.jit
def improve(weights: Any, adam: Adam, batch: Batch, rate: Any, entropy: Any) -> tuple[Any, Adam]:
    """Makes one step of the optimizer."""
    gradient = jax.grad(loss)(weights, batch, entropy)
    length = jnp.sqrt(sum(jnp.square(leaf).sum() for leaf in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda leaf: leaf * jnp.minimum(1, 0.5 / (length + 1e-6)), gradient)
    steps = adam.steps + 1
    means = jax.tree.map(lambda mean, leaf: 0.9 * mean + 0.1 * leaf, adam.means, gradient)
    squares = jax.tree.map(lambda square, leaf: 0.999 * square + 0.001 * leaf * leaf, adam.squares, gradient)
    step = rate * jnp.sqrt(1 - 0.999**steps) / (1 - 0.9**steps)
    weights = jax.tree.map(
        lambda at, mean, square: at - step * mean / (jnp.sqrt(square) + 1e-8), weights, means, squares
    )
    return weights, Adam(steps, means, squares)


def advantages(
    rewards: np.ndarray, values: np.ndarray, decides: np.ndarray, ended: np.ndarray, last: np.ndarray
) -> np.ndarray:
    """Returns the generalized advantages (Schulman and others 2016) of decisions, all `[step, env, agent]`.

    `last` are the values after the last step.
    """
    found = np.zeros_like(values)
    ahead, following, gathered = last.copy(), np.zeros_like(last), np.zeros_like(last)
    for step in reversed(range(len(rewards))):
        for carried in (ahead, following, gathered):
            carried[ended[step]] = 0
        gathered += rewards[step]
        found[step] = gathered + DISCOUNT * ahead - values[step] + DISCOUNT * TRACE * following
        now = decides[step]
        ahead[now], following[now], gathered[now] = values[step][now], found[step][now], 0
    return found


def train(seed: int, iterations: int) -> Iterator[Weights]:
    """Yields the weights of the policy after each iteration."""
    plan, vector, random, key = Plan(), make_vector(ENVS, seed), np.random.default_rng(seed), jax.random.key(seed)
    observations, infos = vector.reset()
    seen = see(plan, observations, infos["action_mask"])
    itself, rooms = inputs(seen)
    others = seen.open.shape[-1] - rooms.shape[-2]
    weights = tuple(initial(itself.shape[-1], rooms.shape[-1], count, random) for count in (others, 1))
    zeros = jax.tree.map(jnp.zeros_like, weights)
    adam = Adam(jnp.zeros(()), zeros, zeros)
    for iteration in range(iterations):
        left = max(0.0, 1 - iteration / SCHEDULE)
        haste = HURRY - (HURRY - 1) * left
        steps = []
        for _ in range(STEPS):
            key, now = jax.random.split(key)
            shown = inputs(seen)
            made = [np.asarray(part) for part in decide(weights, *shown, seen.open, now)]
            observations, rewards, terminated, truncated, infos = vector.step(seen.choose(made[0]))
            steps.append((*shown, seen.open, *made, hurry(rewards, haste), terminated | truncated, seen.decides))
            seen = see(plan, observations, infos["action_mask"])
        itself, rooms, open, choices, likelihoods, values, rewards, ended, decides = map(np.stack, zip(*steps))
        last = np.array(decide(weights, *inputs(seen), seen.open, key)[2])
        gained = advantages(rewards, values, decides, ended, last)
        batch = Batch(itself, rooms, open, choices, likelihoods, gained, gained + values)
        weights, adam = learn(weights, adam, Batch(*[part[decides] for part in batch]), left, random)
        yield {name: np.asarray(value) for name, value in weights[0].items()}


def learn(weights: Any, adam: Adam, batch: Batch, left: float, random: np.random.Generator) -> tuple[Any, Adam]:
    """Improves the policy and the critic with these decisions; `left` is the part of the schedule that is left."""
    gained = batch.advantages
    batch = batch._replace(advantages=(gained - gained.mean()) / (gained.std() + 1e-8))
    for _ in range(EPOCHS):
        order = random.permutation(len(gained))
        for start in range(0, len(order) - BATCH + 1, BATCH):
            part = Batch(*[column[order[start : start + BATCH]] for column in batch])
            weights, adam = improve(weights, adam, part, RATE * left, ENTROPY * left)
    return weights, adam
