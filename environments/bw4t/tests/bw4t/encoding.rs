//! The numeric encoding: observations, choices and rewards of robots, alone and in vectors.

mod choosing;
mod learner;
mod observing;
mod perceived;
mod rewards;
mod steps;
mod vectors;
