"""Frames of libraries become scenes."""

import gymnasium
import numpy as np
import pytest
import situated
from situated.hosting.adapted import adapt
from situated.hosting.picture import CELLS, picture_of


def drawing(rows, columns):
    """A frame with a frame around it, a red square in the upper left, and a blue line."""
    frame = np.full((rows, columns, 3), 255, np.uint8)
    frame[5:15, 5:15] = (255, 0, 0)
    frame[20, :] = (0, 0, 255)
    return frame


def test_a_small_frame_is_drawn_exactly():
    frame = drawing(30, 40)
    scene = picture_of(frame)
    assert (scene.width, scene.height) == (40, 30)
    np.testing.assert_array_equal(scene.pixels(1), frame)


@pytest.mark.parametrize(("rows", "columns"), [(210, 160), (400, 600), (1, 1000), (1000, 1), (64, 64), (65, 3)])
def test_a_large_frame_becomes_few_cells(rows, columns):
    frame = np.random.default_rng(1).integers(0, 255, (rows, columns, 3), np.uint8)
    scene = picture_of(frame)
    assert 1 <= scene.width <= CELLS and 1 <= scene.height <= CELLS


def test_a_hosted_environment_shows_what_it_renders():
    environment = situated.Environment(adapt(gymnasium.make("CartPole-v1", render_mode="rgb_array")), seed=1)
    cart = environment.register("ada")
    cart.associate("agent")
    before = environment.scene().pixels(1)
    assert len(np.unique(before.reshape(-1, 3), axis=0)) > 2
    for _ in range(5):
        cart.act("act", 1)
    assert (environment.scene().pixels(1) != before).any()
    plain = situated.Environment(adapt(gymnasium.make("CartPole-v1")))
    assert plain.scene().to_json() != environment.scene().to_json()
