//! An environment of a server that is driven by somebody else: whoever draws it on a terminal, say, decides when its time
//! moves on, while its doors are open.

use std::sync::Arc;

use situated::iil::EcoString;
use situated::interface::EnvironmentInterface;
use situated_runtime::{Answered, Owner, Request, Time};

use crate::instance::{Instance, Ticket};

/// An environment of a server that moves when its driver says so.
pub struct Driven(pub(crate) Arc<Instance>);

impl Driven {
    /// Asks its owner for something; none if the answer is still to come.
    pub fn ask(&self, request: Request) -> Option<Answered> {
        self.0.ask_as_driver(request)
    }

    /// Lets its owner do what is due.
    pub fn advance(&self) {
        self.0.drive(|owner, now| owner.advance(now));
    }

    /// The entities, with their types, in order of creation.
    pub fn entities(&self) -> Vec<(EcoString, EcoString)> {
        let with_type = |interface: &dyn EnvironmentInterface, entity: EcoString| {
            let of = interface.entity_type(&entity).map(EcoString::from).unwrap_or_default();
            (entity, of)
        };
        let all = |interface: &dyn EnvironmentInterface| {
            interface.entities().into_iter().map(|entity| with_type(interface, entity)).collect()
        };
        self.with(|owner, _| owner.look(all)).unwrap_or_default()
    }

    /// Looks at the owner, and at its team, with the time that it is for them.
    pub fn with<R>(&self, look: impl FnOnce(&mut Owner<Ticket>, Time) -> R) -> R {
        self.0.drive(look)
    }
}
