//! Limits on the connections that a server admits, and on the memory that their clients make it use. Both have a
//! total and a limit per address. If there is no room for a connection, the server closes one that has not sent
//! `hello`. If memory is short, it closes the connections that use most. Addresses also take turns with requests over
//! HTTP, which need no `hello`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::available_parallelism;

use parking_lot::Mutex;
use situated_hub::Budget;
use situated_wire::{Code, Error};
use tokio::sync::{Notify, Semaphore, SemaphorePermit};

/// The limits on connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    /// Maximum number of connections.
    pub(crate) connections: usize,
    /// Maximum number of connections from one address.
    pub(crate) connections_per_address: usize,
}

/// The admitted connections.
pub(crate) struct Admission {
    bounds: Bounds,
    /// The memory that the connections may use, and what they use. The limit for one address is half of the budget.
    budget: Arc<Budget>,
    members: Mutex<Members>,
    /// Number of connections in the middle of a large frame.
    large_frames: AtomicUsize,
    /// The turns of all addresses: requests over HTTP use at most half of the cores.
    turns: Semaphore,
}

#[derive(Default)]
struct Members {
    /// By number, so that the oldest comes first.
    all: BTreeMap<u64, Member>,
    /// The connections that have not sent `hello`.
    silent: BTreeSet<u64>,
    addresses: HashMap<IpAddr, OfAddress>,
    next: u64,
}

struct Member {
    address: IpAddr,
    bytes: usize,
    dismissal: Arc<Dismissal>,
}

/// How a connection is notified that the server closes it.
#[derive(Default)]
struct Dismissal {
    reason: OnceLock<Error>,
    bell: Arc<Notify>,
}

/// The connections of one address, and the memory that they use.
struct OfAddress {
    connections: usize,
    bytes: usize,
    /// Held by the connection of this address whose turn it is.
    turn: Arc<Semaphore>,
}

/// The slot of an admitted connection. Dropping it frees the slot.
pub(crate) struct ConnectionPlace {
    admission: Arc<Admission>,
    number: u64,
    peer: IpAddr,
    dismissal: Arc<Dismissal>,
    /// The same number as in the table. Reading it takes no lock for connections that use no memory.
    bytes: AtomicUsize,
    /// Whether the connection is in the middle of a large frame.
    is_in_large_frame: AtomicBool,
    /// The turn of its address.
    turn: Arc<Semaphore>,
}

/// The turn of a connection, which ends when it is dropped.
pub(crate) struct Turn<'a> {
    _of_address: Option<SemaphorePermit<'a>>,
    _of_all: Option<SemaphorePermit<'a>>,
}

impl Admission {
    pub(crate) fn new(bounds: Bounds, budget: Arc<Budget>) -> Arc<Self> {
        let turns = Semaphore::new(available_parallelism().map_or(1, |cores| cores.get().div_ceil(2)));
        Arc::new(Self { bounds, budget, members: Mutex::default(), large_frames: AtomicUsize::new(0), turns })
    }

    /// Admits a connection from this address. If there is no free slot, the server closes the oldest connection that
    /// has not sent `hello`.
    ///
    /// # Errors
    /// Returns an error if there are too many connections, in total or from this address.
    pub(crate) fn admit(self: &Arc<Self>, peer: IpAddr) -> Result<ConnectionPlace, Error> {
        let Bounds { connections, connections_per_address, .. } = self.bounds;
        let address = network(peer);
        let mut members = self.members.lock();
        if members.addresses.get(&address).is_some_and(|share| share.connections >= connections_per_address) {
            let message = format!("your address already has {connections_per_address} connections; close some first");
            return Err(Error::new(Code::Limit, message));
        }
        if members.all.len() >= connections {
            let Some(oldest) = members.silent.first().copied() else {
                let message = format!("the server already has {connections} connections; try again later");
                return Err(Error::new(Code::Limit, message));
            };
            let message = "the server has no room left for connections that have not sent `hello`; try again later";
            self.dismiss(&mut members, oldest, Error::new(Code::Limit, message));
        }
        let number = members.next;
        members.next += 1;
        let dismissal = Arc::<Dismissal>::default();
        members.all.insert(number, Member { address, bytes: 0, dismissal: dismissal.clone() });
        members.silent.insert(number);
        let share = members.addresses.entry(address).or_default();
        share.connections += 1;
        let turn = share.turn.clone();
        drop(members);
        let (bytes, is_in_large_frame) = Default::default();
        Ok(ConnectionPlace { admission: self.clone(), number, peer, dismissal, bytes, is_in_large_frame, turn })
    }

    /// Closes the connections that use most memory, until the rest is within the limits.
    fn settle(&self, members: &mut Members, address: IpAddr) {
        let room = self.budget.room_of_connections();
        while self.budget.connections() > room {
            self.dismiss_largest(members, |_| true, room, "all clients");
        }
        let of_address = self.budget.limit() / 2;
        while members.addresses.get(&address).is_some_and(|share| share.bytes > of_address) {
            self.dismiss_largest(
                members,
                |member| member.address == address,
                of_address,
                "the clients at your address",
            );
        }
    }

    fn dismiss_largest(&self, members: &mut Members, among: impl Fn(&Member) -> bool, bound: usize, debtors: &str) {
        let largest = members.all.iter().filter(|(_, member)| among(member)).max_by_key(|(_, member)| member.bytes);
        let Some((&number, member)) = largest else { return };
        let message = format!(
            "{debtors} make the server keep more than {} MiB, and you most of it: {} KiB; read the answers that you ask for, \
             and send frames whole",
            bound >> 20,
            member.bytes >> 10
        );
        tracing::warn!(peer = %member.address, bytes = member.bytes, "memory is short: closing the connection that uses most");
        self.dismiss(members, number, Error::new(Code::Limit, message));
    }

    /// Removes a connection at once, and notifies it with the reason.
    fn dismiss(&self, members: &mut Members, number: u64, reason: Error) {
        if let Some(member) = self.remove(members, number) {
            member.dismissal.reason.get_or_init(|| reason);
            member.dismissal.bell.notify_one();
        }
    }

    fn remove(&self, members: &mut Members, number: u64) -> Option<Member> {
        let member = members.all.remove(&number)?;
        members.silent.remove(&number);
        self.budget.subtract_from_connections(member.bytes);
        if let Some(share) = members.addresses.get_mut(&member.address) {
            share.connections -= 1;
            share.bytes -= member.bytes;
            if share.connections == 0 {
                members.addresses.remove(&member.address);
            }
        }
        Some(member)
    }
}

impl ConnectionPlace {
    /// The address from which the connection comes.
    pub(crate) fn peer(&self) -> IpAddr {
        self.peer
    }

    /// Notified when the server closes the connection, and when data waits to be sent over it.
    pub(crate) fn bell(&self) -> &Arc<Notify> {
        &self.dismissal.bell
    }

    /// The reason why the server closes the connection, if it does.
    pub(crate) fn dismissal(&self) -> Option<&Error> {
        self.dismissal.reason.get()
    }

    /// Completes when the server closes the connection, with the reason.
    pub(crate) async fn dismissed(&self) -> Error {
        loop {
            match self.dismissal() {
                Some(reason) => return reason.clone(),
                None => self.bell().notified().await,
            }
        }
    }

    /// Waits for the turn of this connection. Connections of one address wait in line, and only the first of each line
    /// waits for the addresses' turn, so that the number of an address's connections delays no other address.
    pub(crate) async fn turn(&self) -> Turn<'_> {
        // The semaphores are never closed.
        let of_address = self.turn.acquire().await.ok();
        Turn { _of_address: of_address, _of_all: self.admission.turns.acquire().await.ok() }
    }

    /// Notes that the client has sent `hello`.
    pub(crate) fn greet(&self) {
        self.admission.members.lock().silent.remove(&self.number);
    }

    /// Adds to the number of bytes that the server keeps for this client.
    pub(crate) fn keep(&self, bytes: usize) {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let mut members = self.admission.members.lock();
        if let Some(member) = members.all.get_mut(&self.number) {
            member.bytes += bytes;
            let address = member.address;
            self.admission.budget.add_to_connections(bytes);
            members.addresses.entry(address).or_default().bytes += bytes;
            self.admission.settle(&mut members, address);
        }
    }

    /// Subtracts from the number of bytes that the server keeps for this client.
    pub(crate) fn release(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        let mut members = self.admission.members.lock();
        if let Some(member) = members.all.get_mut(&self.number) {
            member.bytes -= bytes;
            let address = member.address;
            self.admission.budget.subtract_from_connections(bytes);
            members.addresses.entry(address).or_default().bytes -= bytes;
        }
    }

    /// Notes whether the connection is in the middle of a large frame.
    pub(crate) fn note_large_frame(&self, is_within: bool) {
        match (self.is_in_large_frame.swap(is_within, Ordering::Relaxed), is_within) {
            (false, true) => _ = self.admission.large_frames.fetch_add(1, Ordering::Relaxed),
            (true, false) => _ = self.admission.large_frames.fetch_sub(1, Ordering::Relaxed),
            _ => {}
        }
    }

    /// Number of connections in the middle of a large frame.
    pub(crate) fn large_frames(&self) -> usize {
        self.admission.large_frames.load(Ordering::Relaxed)
    }

    /// Whether the server currently reads this connection more slowly, because memory is short and its client uses
    /// more than its share.
    pub(crate) fn is_slowed(&self) -> bool {
        let owed = self.bytes.load(Ordering::Relaxed);
        if owed == 0 {
            return false;
        }
        let budget = &self.admission.budget;
        let (room, of_address) = (budget.room_of_connections(), budget.limit() / 2);
        let members = self.admission.members.lock();
        let address = members.all.get(&self.number).map(|member| member.address);
        let share = address.and_then(|address| members.addresses.get(&address)).map_or(0, |share| share.bytes);
        let is_short = budget.connections() > room / 4 * 3 || share > of_address / 4 * 3;
        is_short && owed > room / 2 / members.all.len().max(1)
    }
}

impl Default for OfAddress {
    fn default() -> Self {
        Self { connections: 0, bytes: 0, turn: Arc::new(Semaphore::new(1)) }
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        self.note_large_frame(false);
        self.admission.remove(&mut self.admission.members.lock(), self.number);
    }
}

/// Returns the network that counts as one address. For IPv6, this is the /64 network that a subscriber usually has.
pub(crate) fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

/// The default for the number of bytes that the server keeps for clients: an eighth of the machine's memory.
pub(crate) fn usual_bytes() -> usize {
    const WITHOUT_ANSWER: usize = 4 << 30;
    let read = |file| std::fs::read_to_string(file).ok();
    let total = read("/proc/meminfo").and_then(|text| {
        let kib = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.trim().strip_suffix("kB")?;
        kib.trim().parse::<usize>().ok()?.checked_mul(1024)
    });
    // In a container, this is its limit.
    let allowed = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    total.into_iter().chain(allowed).min().unwrap_or(WITHOUT_ANSWER) / 8
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const BOUNDS: Bounds = Bounds { connections: 3, connections_per_address: 2 };

    fn admission() -> Arc<Admission> {
        Admission::new(BOUNDS, Budget::new(1000))
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn limits_connections_per_address_and_counts_an_ipv6_network_as_one() {
        let admission = admission();
        let _first = admission.admit(address("2001:db8::1")).expect("there is room");
        let second = admission.admit(address("2001:db8::2")).expect("there is room");
        let refused = admission.admit(address("2001:db8::3")).err().expect("it is the third");
        assert_eq!(refused.message, "your address already has 2 connections; close some first");
        let _other = admission.admit(address("2001:db8:0:1::1")).expect("another network");
        drop(second);
        assert!(admission.admit(address("2001:db8::3")).is_ok());
    }

    #[test]
    fn closes_the_oldest_connection_without_hello_to_make_room() {
        let admission = admission();
        let greeted = admission.admit(address("10.0.0.1")).expect("there is room");
        let silent = admission.admit(address("10.0.0.2")).expect("there is room");
        let younger = admission.admit(address("10.0.0.3")).expect("there is room");
        greeted.greet();
        let newcomer = admission.admit(address("10.0.0.4")).expect("another is closed");
        assert!(silent.dismissal().expect("it is dismissed").message.contains("not sent `hello`"));
        assert!(greeted.dismissal().is_none() && younger.dismissal().is_none());
        newcomer.greet();
        let last = admission.admit(address("10.0.0.5")).expect("another is closed");
        assert!(younger.dismissal().is_some());
        last.greet();
        assert!(admission.admit(address("10.0.0.6")).is_err(), "all have sent `hello`");
    }

    #[test]
    fn closes_the_connection_that_uses_most_memory_and_frees_it() {
        let admission = admission();
        let small = admission.admit(address("10.0.0.1")).expect("there is room");
        let large = admission.admit(address("10.0.0.2")).expect("there is room");
        let idle = admission.admit(address("10.0.0.3")).expect("there is room");
        small.keep(400);
        large.keep(450);
        assert!(small.is_slowed() && large.is_slowed() && !idle.is_slowed());
        idle.keep(200);
        assert!(large.dismissal().expect("it is dismissed").message.starts_with("all clients make the server keep"));
        assert!(small.dismissal().is_none());
        assert_eq!(admission.budget.connections(), 600);
        large.release(450);
        drop(large);
        small.release(400);
        assert_eq!(admission.budget.connections(), 200);
        assert!(!small.is_slowed());
    }

    #[tokio::test]
    async fn connections_of_one_address_take_turns() {
        let admission = admission();
        let first = admission.admit(address("10.0.0.1")).expect("there is room");
        let second = admission.admit(address("10.0.0.1")).expect("there is room");
        let turn = first.turn().await;
        assert!(second.turn().now_or_never().is_none(), "it waits");
        drop(turn);
        assert!(second.turn().now_or_never().is_some());
    }

    #[test]
    fn leaves_less_to_connections_while_more_is_kept() {
        let admission = admission();
        let mut kept = admission.budget.charge();
        kept.resize(300).expect("there is room");
        let first = admission.admit(address("10.0.0.1")).expect("there is room");
        let second = admission.admit(address("10.0.0.2")).expect("there is room");
        first.keep(360);
        second.keep(340);
        assert!(kept.resize(301).is_err(), "connections use the rest");
        second.keep(1);
        assert!(first.dismissal().is_some());
        assert_eq!(admission.budget.connections(), 341);
    }

    #[test]
    fn limits_clients_at_one_address_to_half_of_the_memory() {
        let admission = admission();
        let first = admission.admit(address("10.0.0.1")).expect("there is room");
        let second = admission.admit(address("10.0.0.1")).expect("there is room");
        first.keep(240);
        second.keep(261);
        assert!(second.dismissal().expect("it is dismissed").message.starts_with("the clients at your address"));
        assert!(first.dismissal().is_none());
    }
}
