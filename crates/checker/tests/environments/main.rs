//! The checker accepts sound environments, and finds the faults of others.

mod bell;
mod corridor;
mod findings;
