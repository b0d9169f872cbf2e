//! Seats: the agents of models. A seat is known by a handle that cannot be guessed, and not by a connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated_hub::{Error, Hub, Rights, Token};
use situated_seat::{CannotTake, Seat, Surroundings};

/// Maximum number of seats of a server.
const SEATS: usize = 1024;

/// The time after the last call after which a seat is void.
const SEAT_LIFE: Duration = Duration::from_secs(3600);

/// The time after the last call after which a step in lockstep no longer waits for a seat without limit. Its chat may have
/// been closed, or its model thinks for long.
const SEAT_QUIET: Duration = Duration::from_secs(600);

/// The seats of a server.
#[derive(Default)]
pub(crate) struct Seats {
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    by_handle: HashMap<String, (Arc<Seat>, Instant)>,
    /// The number of the last agent without a name of its own.
    last: u64,
}

/// The reason why a seat cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CannotKeep {
    /// All seats of the server are taken.
    #[error("all seats of this server are taken; try again later")]
    Full,
    /// There is no handle for it.
    #[error(transparent)]
    Refused(#[from] Error),
}

impl Seats {
    /// Takes an entity for a new agent, which leaves when the seat is dropped. Without a name, it gets one that no other
    /// agent has.
    pub(crate) async fn take(
        &self,
        hub: &Arc<Hub>,
        surroundings: &Surroundings,
        rights: Rights,
        wanted: Option<&str>,
        name: Option<&str>,
    ) -> Result<Seat, CannotTake> {
        loop {
            let agent = name.map_or_else(|| self.next_name(), EcoString::from);
            match Seat::take(hub, surroundings.clone(), rights, wanted, agent).await {
                // Other models of this server may have names of the same kind.
                Err(CannotTake::Refused(Error::AgentTaken { .. })) if name.is_none() => {}
                taken => return taken,
            }
        }
    }

    /// Keeps a seat until it is left or unused. Returns the handle.
    pub(crate) fn keep(&self, seat: Seat) -> Result<(String, Arc<Seat>), CannotKeep> {
        let seat = Arc::new(seat);
        let handle = Token::random().map_err(|_| Error::Unanswered)?.as_str().to_owned();
        let by_handle = &mut self.taken.lock().by_handle;
        if by_handle.len() >= SEATS {
            return Err(CannotKeep::Full);
        }
        seat.hide(&handle);
        by_handle.insert(handle.clone(), (seat.clone(), Instant::now()));
        Ok((handle, seat))
    }

    /// Returns the seat with this handle, and notes that it is used. Seats of other environments are unknown here.
    pub(crate) fn find(&self, handle: &str, environment: &str) -> Option<Arc<Seat>> {
        let mut taken = self.taken.lock();
        let (seat, used) = taken.by_handle.get_mut(handle)?;
        if seat.surroundings().environment != environment || used.elapsed() > SEAT_LIFE {
            return None;
        }
        *used = Instant::now();
        seat.set_attended(true);
        Some(seat.clone())
    }

    /// Ends a seat.
    pub(crate) fn leave(&self, handle: &str) {
        self.taken.lock().by_handle.remove(handle);
    }

    /// Ends the seats whose time is over, so that their entities are free, and lets no step wait for quiet ones for long.
    pub(crate) fn sweep(&self, now: Instant) {
        // Under the lock, so that a seat that is used meanwhile does not become quiet afterwards.
        self.taken.lock().by_handle.retain(|_, (seat, used)| {
            let unused = now.saturating_duration_since(*used);
            if unused > SEAT_QUIET {
                seat.set_attended(false);
            }
            unused <= SEAT_LIFE
        });
    }

    /// Returns a name for an agent that has none of its own.
    fn next_name(&self) -> EcoString {
        let mut taken = self.taken.lock();
        taken.last += 1;
        EcoString::from(format!("model{}", taken.last))
    }
}

#[cfg(test)]
mod tests {
    use situated::interface::Command;
    use situated_hub::{HubSettings, Kinds, LocalSession};
    use situated_registry::shipped;
    use situated_runtime::{Owner, Tempo};
    use tokio::runtime::Handle;

    use super::*;

    #[tokio::test]
    async fn a_step_in_lockstep_does_not_wait_for_a_quiet_seat() {
        let registry = shipped();
        let goals = registry.find("find-goals").expect("it ships");
        let hub = Hub::new(HubSettings::default(), Kinds::new(), Handle::current());
        let owner = Owner::new((goals.interface)(), Tempo::of(&goals.ontology));
        let init = Command::Init { parameters: [].into(), seed: 1 };
        hub.add("goals", owner, vec![init, Command::Start]).expect("it begins");
        let session = LocalSession::open(&hub, Rights::ALL).expect("there is room");
        let surroundings = Surroundings::of(&session, "goals", false).await.expect("it is there");
        let seats = Seats::default();
        let mut handles = Vec::new();
        for entity in ["red", "blue"] {
            let seat = seats.take(&hub, &surroundings, Rights::ALL, Some(entity), None).await.expect("it is free");
            handles.push(seats.keep(seat).expect("there is room").0);
        }
        seats.sweep(Instant::now() + SEAT_QUIET + Duration::from_secs(1));
        let blue = seats.find(&handles[1], "goals").expect("it is kept");
        let (told, _) = blue.call("wait", &Default::default()).await.expect("an action").expect("it is possible");
        assert!(told.contains("Step 1"), "{told}");
    }
}
