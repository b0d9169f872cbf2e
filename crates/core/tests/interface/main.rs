//! Tests of the interface: its promises one by one, its allocations, and a simulation that compares it with a simple
//! model.

mod allocations;
mod answers;
mod hosted;
mod owning;
mod promises;
mod sharing;
mod simulation;
