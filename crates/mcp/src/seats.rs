//! Seats: the agents of models. A seat is known by a handle that cannot be guessed, and not by a connection.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use situated::iil::EcoString;
use situated_hub::{Error, Hub, Rights, Token};
use situated_seat::{CannotTake, Seat, Surroundings};
use tokio::time::Instant;

/// Maximum number of seats of a server.
const SEATS: usize = 1024;

/// The time after the last call after which a seat is void.
const SEAT_LIFE: Duration = Duration::from_secs(3600);

/// The time after the last call after which a step in lockstep no longer waits for a seat, unless the environment has a
/// patience of its own. Most models think for less than this between two calls; otherwise the chat may have been
/// closed.
const SEAT_QUIET: Duration = Duration::from_secs(60);

/// The seats of a server.
#[derive(Default)]
pub(crate) struct Seats {
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    by_handle: HashMap<String, Arc<Seat>>,
    /// The seats that last as long as their client.
    of_clients: Vec<Weak<Seat>>,
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
    /// Takes an entity for a new agent, which leaves when the seat is dropped. Without a name, it gets one that no
    /// other agent has.
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
        by_handle.insert(handle.clone(), seat.clone());
        Ok((handle, seat))
    }

    /// Keeps a seat as long as its client does, even if nobody calls a tool for a long time.
    pub(crate) fn keep_for_client(&self, seat: Seat) -> Arc<Seat> {
        let seat = Arc::new(seat);
        self.taken.lock().of_clients.push(Arc::downgrade(&seat));
        seat
    }

    /// Returns the seat with this handle. Seats of other environments are unknown here.
    pub(crate) fn find(&self, handle: &str, environment: &str) -> Option<Arc<Seat>> {
        let seat = self.taken.lock().by_handle.get(handle)?.clone();
        let is_valid =
            seat.surroundings().environment == environment && seat.idle_time(Instant::now(), SEAT_QUIET) <= SEAT_LIFE;
        is_valid.then_some(seat)
    }

    /// Ends a seat.
    pub(crate) fn leave(&self, handle: &str) {
        self.taken.lock().by_handle.remove(handle);
    }

    /// Ends the seats whose time is over, so that their entities are free, and lets no step wait for quiet ones for
    /// long.
    pub(crate) fn sweep(&self, now: Instant) {
        let Taken { by_handle, of_clients, .. } = &mut *self.taken.lock();
        by_handle.retain(|_, seat| seat.idle_time(now, SEAT_QUIET) <= SEAT_LIFE);
        of_clients.retain(|seat| seat.upgrade().map(|seat| seat.idle_time(now, SEAT_QUIET)).is_some());
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
    use tokio::time::timeout;

    use super::*;

    /// Takes both entities of Find the Goals, in lockstep with this patience.
    async fn two_seats(patience: Option<Duration>) -> (Seats, Arc<Seat>, Arc<Seat>) {
        let registry = shipped();
        let goals = registry.find("find-goals").expect("it ships");
        let hub = Hub::new(HubSettings::default(), Kinds::new(), Handle::current());
        let owner = Owner::new((goals.interface)(), Tempo { patience, ..Tempo::of(&goals.ontology) });
        let init = Command::Init { parameters: [].into(), seed: 1 };
        hub.add("goals", owner, vec![init, Command::Start]).expect("it begins");
        let session = LocalSession::open(&hub, Rights::ALL).expect("there is room");
        let surroundings = Surroundings::of(&session, "goals", false).await.expect("it is there");
        let seats = Seats::default();
        let take = async |entity| seats.take(&hub, &surroundings, Rights::ALL, Some(entity), None).await;
        let red = seats.keep_for_client(take("red").await.expect("it is free"));
        let (handle, _) = seats.keep(take("blue").await.expect("it is free")).expect("there is room");
        let blue = seats.find(&handle, "goals").expect("it is kept");
        (seats, red, blue)
    }

    /// Lets the entity of a seat wait, and checks that this ends a step.
    async fn make_step(seat: &Seat, step: u64) {
        let (told, _) = seat.call("wait", &Default::default()).await.expect("an action").expect("it is possible");
        assert!(told.contains(&format!("Step {step}")), "{told}");
    }

    #[tokio::test]
    async fn a_step_in_lockstep_does_not_wait_for_a_quiet_seat() {
        let (seats, _red, blue) = two_seats(None).await;
        seats.sweep(Instant::now() + SEAT_QUIET + Duration::from_secs(1));
        make_step(&blue, 1).await;
    }

    #[tokio::test]
    async fn a_step_in_lockstep_waits_no_longer_for_seats_than_the_patience() {
        let (_seats, red, blue) = two_seats(Some(Duration::from_millis(50))).await;
        make_step(&blue, 1).await;
        make_step(&blue, 2).await;
        // Its model continues with the step at which it calls again.
        make_step(&red, 3).await;
    }

    #[tokio::test]
    async fn a_seat_is_not_idle_during_a_call() {
        let (_seats, red, _blue) = two_seats(None).await;
        let later = Instant::now() + 2 * SEAT_QUIET;
        assert!(red.idle_time(later, SEAT_QUIET) > SEAT_QUIET);
        let arguments = Default::default();
        let mut call = Box::pin(red.call("wait", &arguments));
        let answered = timeout(Duration::from_millis(10), &mut call).await;
        assert!(answered.is_err(), "the other has not acted");
        assert_eq!(red.idle_time(later, SEAT_QUIET), Duration::ZERO);
        drop(call);
        assert!(red.idle_time(later, SEAT_QUIET) > SEAT_QUIET, "its caller has given up");
    }
}
