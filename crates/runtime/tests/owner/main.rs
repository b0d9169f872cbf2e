//! The owner of an environment: what it promises, point by point, and simulations that check its invariants.

mod driver;
mod faults;
mod hosted_simulation;
mod hosting;
mod late_hosts;
mod numbers;
mod order;
mod pace;
mod pausing;
mod phoenix;
mod simulation;
mod team;
mod vanishing;
