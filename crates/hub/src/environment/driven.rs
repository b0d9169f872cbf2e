//! Environments whose time a caller outside of the hub advances, for example a program that draws the environment on
//! a terminal.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use situated::iil::EcoString;
use situated::interface::EnvironmentInterface;
use situated_runtime::{Answered, Error, Owner, Time, what_panicked};

use super::RunningEnvironment;
use super::destination::{Destination, To};

/// Direct access to an environment of a hub. Its methods wait for the owner, so do not call them from tasks of the hub's
/// executor.
pub struct DrivenEnvironment(pub(crate) Arc<RunningEnvironment>);

impl DrivenEnvironment {
    /// Makes a request to the owner. Returns `None` if the answer comes later; that answer is dropped.
    pub fn ask(&self, request: impl FnOnce(&mut Owner<Destination>, Destination, Time)) -> Option<Answered> {
        self.0.at_seat(|seat, now| {
            request(&mut seat.owner, Destination(To::Driver), now);
            seat.hand_out_replies(now);
            seat.for_driver.take()
        })
    }

    /// Lets the owner do the work that is due.
    pub fn advance(&self) {
        self.with(|owner, now| owner.poll(now));
    }

    /// The entities, each with its type, in order of creation.
    pub fn entities(&self) -> Vec<(EcoString, EcoString)> {
        let with_type = |interface: &dyn EnvironmentInterface, entity: EcoString| {
            let entity_type = interface.entity_type(&entity).map(EcoString::from).unwrap_or_default();
            (entity, entity_type)
        };
        let all = |interface: &dyn EnvironmentInterface| {
            interface.entities().into_iter().map(|entity| with_type(interface, entity)).collect()
        };
        self.read(all).unwrap_or_default()
    }

    /// Calls a function with the interface of the environment. If the function panics, only the caller gets an error.
    ///
    /// # Errors
    /// Returns an error if the function panics.
    pub fn read<R>(&self, read: impl FnOnce(&dyn EnvironmentInterface) -> R) -> Result<R, Error> {
        let caught = |interface: &dyn EnvironmentInterface| catch_unwind(AssertUnwindSafe(|| read(interface)));
        let answered = self.with(|owner, _| owner.read(caught))?;
        answered.map_err(|panic| Error::Panicked { reason: what_panicked(&*panic) })
    }

    /// Calls a function with the owner and the present time.
    pub fn with<R>(&self, act: impl FnOnce(&mut Owner<Destination>, Time) -> R) -> R {
        self.0.at_seat(|seat, now| act(&mut seat.owner, now))
    }
}
