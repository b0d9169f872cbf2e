//! The interface: what it promises, point by point, and a simulation that holds it against a simple model.

mod promises;
mod simulation;
mod world;
