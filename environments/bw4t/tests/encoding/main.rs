//! The numeric face: what robots observe, choose and are given, alone and in vectors.

mod choosing;
mod learner;
mod observing;
mod perceived;
#[path = "../played/mod.rs"]
mod played;
mod rewards;
mod steps;
mod vectors;
