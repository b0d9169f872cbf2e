//! Properties of all input from outside, for cargo-fuzz. Tests of the crates check the same on a fixed set of cases.

pub mod acl;
pub mod acl_encodings;
pub mod blocks;
pub mod bw4t;
pub mod connections;
pub mod cows;
pub mod damage;
pub mod directory;
pub mod elevator;
pub mod files;
pub mod frames;
pub mod notations;
pub mod recordings;
pub mod states;
pub mod transport;
pub mod vacuum;
pub mod wumpus;
