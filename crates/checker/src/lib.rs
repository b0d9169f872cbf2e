//! Tests for authors of environments and servers.
//!
//! [`check_environment`] plays an environment at random. It panics with a report if the environment breaks a rule on
//! which agents, learners, recordings and servers rely:
//!
//! ```
//! # use situated_find_goals::FindGoals;
//! // In a test of your crate:
//! situated_checker::check_environment::<FindGoals>();
//! situated_checker::check_encoded_environment::<FindGoals>();
//!
//! // With other parameters, seeds or steps:
//! let settings = situated_checker::Settings { seeds: 1..=3, ..Default::default() }.parameter("view", "global");
//! let report = settings.check::<FindGoals>()?;
//! println!("{report}");
//! report.assert_passed();
//! # Ok::<(), situated::ontology::typed::Mismatch>(())
//! ```
//!
//! A [`Game`] is a running environment, for tests of its own rules.
//!
//! The feature `server` adds the module `server`, the conformance suite for servers of the wire protocol. It is
//! optional because it needs an async runtime and WebSockets, which tests of an environment do not need.

mod environment;
mod game;
#[cfg(feature = "server")]
pub mod server;

pub use environment::*;
pub use game::Game;

/// The code of the book is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/check-environment.md")]
struct Book;

/// The code of the book's page for servers is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/check.md")]
struct BookOfServers;
