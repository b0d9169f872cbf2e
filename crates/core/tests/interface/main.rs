//! The interface: what it promises, point by point, what allocates, and a simulation that holds it against a simple model.

mod allocations;
mod going_on;
mod hosted;
mod promises;
mod sharing;
mod simulation;
