//! Tests for those who write environments and servers.
//!
//! [`check_environment`] plays an environment at random, and panics with a report if it does not follow the rules that agents,
//! learners, recordings and servers rely on:
//!
//! ```
//! # use situated_find_goals::FindGoals;
//! // In a test of your crate:
//! situated_testkit::check_environment::<FindGoals>();
//! situated_testkit::check_encoded_environment::<FindGoals>();
//!
//! // With other parameters, seeds or steps:
//! let settings = situated_testkit::Settings { seeds: 1..=3, ..Default::default() }.parameter("view", "global");
//! let report = settings.check::<FindGoals>()?;
//! println!("{report}");
//! report.assert_passed();
//! # Ok::<(), situated::ontology::typed::Mismatch>(())
//! ```
//!
//! `server`, behind the feature of that name, is the conformance suite for servers of the wire protocol. It is apart because it
//! needs an async runtime and WebSockets, which nobody should have to build to test an environment.

mod environment;
#[cfg(feature = "server")]
pub mod server;

pub use environment::*;

/// The code of the book is compiled with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/how-to/check-environment.md")]
struct Book;
