//! What is written on messages that travel between platforms (SC00067): to whom they go, from whom, when, and in which
//! encoding they are.
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

use crate::{AgentIdentifier, Content, Time, UserParameter};

/// An envelope: what its sender wrote, and what those added who passed it on. Nobody changes what is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// What the sender wrote.
    pub base: Layer<'a>,
    /// What was added, the newest last.
    pub added: Vec<Layer<'a>>,
}

/// What is written on an envelope at one time. The standard wants the base to have `to`, `from`, `date` and
/// `representation`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layer<'a> {
    /// Whom the sender of the message wants to have it.
    pub to: Vec<AgentIdentifier<'a>>,
    /// Who sends it.
    pub from: Option<AgentIdentifier<'a>>,
    /// Remarks.
    pub comments: Option<Cow<'a, str>>,
    /// How the message is encoded: the name of an [`Encoding`](crate::Encoding), or another.
    pub representation: Option<Cow<'a, str>>,
    /// How many bytes the message has.
    pub payload_length: Option<u64>,
    /// How the letters of the message are encoded: `UTF-8`. JADE takes a message without this for ASCII.
    pub payload_encoding: Option<Cow<'a, str>>,
    /// When the envelope was written.
    pub date: Option<Time>,
    /// Who is to have this copy of the message.
    pub intended_receivers: Vec<AgentIdentifier<'a>>,
    /// What is asked of those who pass it on.
    pub transport_behaviour: Option<Content<'a>>,
    /// Who has received it.
    pub received: Option<Received<'a>>,
    /// What the standard does not know.
    pub user_parameters: Vec<UserParameter<'a>>,
}

/// The stamp of somebody who has received an envelope, to pass it on or to deliver it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received<'a> {
    /// Their address.
    pub by: Cow<'a, str>,
    /// From which address they had it.
    pub from: Option<Cow<'a, str>>,
    /// When.
    pub date: Time,
    /// The number that they gave it.
    pub id: Option<Cow<'a, str>>,
    /// By which means it came.
    pub via: Option<Cow<'a, str>>,
    /// What the standard does not know. XML has no place for it.
    pub user_parameters: Vec<UserParameter<'a>>,
}

impl<'a> Envelope<'a> {
    /// An envelope as its sender wrote it.
    pub fn new(base: Layer<'a>) -> Self {
        Self { base, added: Vec::new() }
    }

    /// What holds: of each field what was written last.
    pub fn effective(&self) -> Layer<'a> {
        self.added.iter().fold(self.base.clone(), |older, newer| newer.clone().over(older))
    }

    /// The stamps of all who have received it, the newest last. Whoever finds their own there has sent it in a circle.
    pub fn stamps(&self) -> impl Iterator<Item = &Received<'a>> {
        std::iter::once(&self.base).chain(&self.added).filter_map(|layer| layer.received.as_ref())
    }
}

impl<'a> Layer<'a> {
    /// This layer, completed from an older one.
    fn over(self, older: Layer<'a>) -> Layer<'a> {
        let either = |newer: Vec<_>, older| if newer.is_empty() { older } else { newer };
        let mut user_parameters = self.user_parameters;
        for parameter in older.user_parameters {
            if user_parameters.iter().all(|newer| newer.name != parameter.name) {
                user_parameters.push(parameter);
            }
        }
        Layer {
            to: either(self.to, older.to),
            from: self.from.or(older.from),
            comments: self.comments.or(older.comments),
            representation: self.representation.or(older.representation),
            payload_length: self.payload_length.or(older.payload_length),
            payload_encoding: self.payload_encoding.or(older.payload_encoding),
            date: self.date.or(older.date),
            intended_receivers: either(self.intended_receivers, older.intended_receivers),
            transport_behaviour: self.transport_behaviour.or(older.transport_behaviour),
            received: self.received.or(older.received),
            user_parameters,
        }
    }
}
