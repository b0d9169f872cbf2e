//! The checker passes sound environments, and finds what is wrong with others.

mod bell;
mod corridor;
mod findings;
