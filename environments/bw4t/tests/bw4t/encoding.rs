//! The numeric face: what robots observe, choose and are given, alone and in vectors.

mod choosing;
mod learner;
mod observing;
mod perceived;
mod rewards;
mod steps;
mod vectors;
