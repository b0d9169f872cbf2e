//! Tests of vectors.

mod allocations;
mod errors;
mod herd;
mod model;
mod modes;
mod saving;
mod tables;
mod written;
