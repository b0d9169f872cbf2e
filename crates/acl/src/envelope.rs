//! The envelopes of messages that travel between platforms (SC00067): receivers, sender, date, and encoding.
//!
//! ```
//! use situated_acl::envelope::{self, Envelope, Layer};
//! use situated_acl::{AgentIdentifier, Encoding};
//!
//! let buyer = AgentIdentifier::new("buyer@market").address("http://market/acc");
//! let envelope = Envelope::new(Layer {
//!     to: vec![buyer.clone()],
//!     from: Some("seller@farm".into()),
//!     representation: Some(Encoding::String.name().into()),
//!     date: Some("20261120T125737240Z".parse()?),
//!     intended_receivers: vec![buyer],
//!     ..Layer::default()
//! });
//! let document = envelope::xml::encode(&envelope)?;
//! assert_eq!(envelope::xml::decode(&document)?, envelope);
//! let data = envelope::bit_efficient::encode(&envelope)?;
//! assert_eq!(envelope::bit_efficient::decode(&data)?, envelope);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bit_efficient;
pub mod xml;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::{AgentIdentifier, Content, Time, UserParameter};

/// An envelope: the base that its sender wrote, and the layers that others added when they passed it on. Existing
/// layers are never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// The layer of the sender.
    pub base: Layer<'a>,
    /// The added layers, the newest last.
    pub added: Vec<Layer<'a>>,
}

/// One layer of an envelope. The standard requires `to`, `from`, `date` and `representation` in the base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer<'a> {
    /// The receivers of the message.
    pub to: Vec<AgentIdentifier<'a>>,
    /// The sender.
    pub from: Option<AgentIdentifier<'a>>,
    /// Remarks.
    pub comments: Option<Cow<'a, str>>,
    /// The encoding of the message: the name of an [`Encoding`](crate::Encoding), or another name.
    pub representation: Option<Cow<'a, str>>,
    /// The number of bytes of the message.
    pub payload_length: Option<u64>,
    /// The character encoding of the message: `UTF-8`. Without this, JADE assumes ASCII.
    pub payload_encoding: Option<Cow<'a, str>>,
    /// The time at which the envelope was written.
    pub date: Option<Time>,
    /// The receivers of this copy of the message.
    pub intended_receivers: Vec<AgentIdentifier<'a>>,
    /// Requests to the platforms that pass it on.
    pub transport_behaviour: Option<Content<'a>>,
    /// The platform that received it.
    pub received: Option<Received<'a>>,
    /// Parameters that are not in the standard.
    pub user_parameters: Vec<UserParameter<'a>>,
}

/// The stamp of a platform that received an envelope, in order to pass it on or deliver it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received<'a> {
    /// The address of the platform.
    pub by: Cow<'a, str>,
    /// The address of the sending platform.
    pub from: Option<Cow<'a, str>>,
    /// The time.
    pub date: Time,
    /// The number that the platform assigned.
    pub id: Option<Cow<'a, str>>,
    /// The transport.
    pub via: Option<Cow<'a, str>>,
    /// Parameters that are not in the standard. XML has no form for them.
    pub user_parameters: Vec<UserParameter<'a>>,
}

impl<'a> Envelope<'a> {
    /// Creates an envelope with only the sender's base.
    pub fn new(base: Layer<'a>) -> Self {
        Self { base, added: Vec::new() }
    }

    /// Returns the effective fields: the newest value of each.
    pub fn effective(&self) -> Layer<'a> {
        let mut newest_first = self.added.iter().rev().chain([&self.base]);
        let mut effective = newest_first.next().cloned().unwrap_or_default();
        let mut names: HashSet<_> = effective.user_parameters.iter().map(|parameter| parameter.name.clone()).collect();
        for older in newest_first {
            effective.complete(older);
            let missing = older.user_parameters.iter().filter(|parameter| names.insert(parameter.name.clone()));
            effective.user_parameters.extend(missing.cloned());
        }
        effective
    }

    /// The stamps of all platforms that received it, the newest last. A platform that finds its own stamp there has
    /// detected a loop.
    pub fn stamps(&self) -> impl Iterator<Item = &Received<'a>> {
        std::iter::once(&self.base).chain(&self.added).filter_map(|layer| layer.received.as_ref())
    }
}

impl<'a> Layer<'a> {
    /// Copies the standard fields that this layer lacks from an older layer.
    fn complete(&mut self, older: &Layer<'a>) {
        fn fill<T: Clone>(field: &mut Option<T>, older: &Option<T>) {
            if field.is_none() {
                field.clone_from(older);
            }
        }
        for (agents, older) in [(&mut self.to, &older.to), (&mut self.intended_receivers, &older.intended_receivers)] {
            if agents.is_empty() {
                agents.clone_from(older);
            }
        }
        fill(&mut self.from, &older.from);
        fill(&mut self.comments, &older.comments);
        fill(&mut self.representation, &older.representation);
        fill(&mut self.payload_length, &older.payload_length);
        fill(&mut self.payload_encoding, &older.payload_encoding);
        fill(&mut self.date, &older.date);
        fill(&mut self.transport_behaviour, &older.transport_behaviour);
        fill(&mut self.received, &older.received);
    }
}
