//! Tests of the owner of an environment: its promises one by one, and simulations that check its invariants.

mod driver;
mod faults;
mod hosted_simulation;
mod hosting;
mod late_hosts;
mod numbers;
mod order;
mod pace;
mod pausing;
mod request;
mod simulation;
mod team;
mod unwritten;
mod vanishing;
