//! Calls of tools over HTTP by one client, against this server and that of the official package for Python:
//! `cargo bench --profile wheel -p situated-server --bench models`
//!
//! - the time of a call, and the processor time of the server for it;
//! - the time of a call while 200 seats of one environment each make one a second.
//!
//! The other server takes part if `MCP_PYTHON` names a Python that has the package `mcp` 2.3.0. Its tool does the same: it adds
//! to a number, and returns it. The servers and the client share the machine.

#[path = "models/client.rs"]
mod client;
#[path = "field/mod.rs"]
mod field;
#[path = "models/rival.rs"]
mod rival;
#[path = "crowd/serving.rs"]
mod serving;

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use client::Seat;
use rival::Rival;
use serving::Serving;

/// Number of calls whose time is measured, after as many that warm up.
const CALLS: usize = 3000;

/// Number of repetitions, of both servers in turn.
const ROUNDS: usize = 3;

/// Number of seats that make one call a second each, and the duration of that in seconds.
const SEATS: usize = 200;
const SECONDS: usize = 10;

/// The duration of a tick of processor time (`man 5 proc`).
const TICK: Duration = Duration::from_millis(10);

fn main() {
    if let Some(entities) = env::args().nth(1).and_then(|argument| argument.parse().ok()) {
        return serving::serve(field::kinds(), field::field(entities));
    }
    let rival = Rival::start();
    let one = Serving::start("1");
    let (ours, theirs) = (Seat::join(one.address, "/mcp/field"), rival.as_ref().map(|rival| rival.seat(0)));
    for _ in 0..ROUNDS {
        measure_calls("situated", &ours, one.id());
        if let (Some(rival), Some(seat)) = (&rival, &theirs) {
            measure_calls("mcp", seat, rival.id());
        }
    }
    drop((ours, one));
    let crowd = Serving::start(&SEATS.to_string());
    measure_crowd("situated", |_| Seat::join(crowd.address, "/mcp/field"));
    if let Some(rival) = &rival {
        measure_crowd("mcp", |number| rival.seat(number));
    }
}

fn measure_calls(server: &str, seat: &Seat, process: u32) {
    (0..CALLS).for_each(|_| seat.walk());
    let before = processor_time(process);
    let mut times: Vec<Duration> = (0..CALLS).map(|_| timed(seat)).collect();
    let each = (processor_time(process) - before) / CALLS as u32;
    times.sort_unstable();
    let [half, most] = [CALLS / 2, CALLS * 99 / 100].map(|place| times[place]);
    println!("{server}: 50th percentile {half:.0?}, 99th {most:.0?}, {each:.0?} of processor time a call");
}

/// Each seat has a thread that calls at its own part of each second.
fn measure_crowd(server: &str, join: impl Fn(usize) -> Seat) {
    let seats: Vec<Seat> = (0..SEATS).map(join).collect();
    let begin = Instant::now();
    let calls = seats.into_iter().enumerate().map(|(number, seat)| {
        thread::spawn(move || {
            let due = |second: usize| Duration::from_secs(1) * (second * SEATS + number) as u32 / SEATS as u32;
            let call = |second| {
                thread::sleep(due(second).saturating_sub(begin.elapsed()));
                timed(&seat)
            };
            (0..SECONDS).map(call).collect::<Vec<_>>()
        })
    });
    let calls: Vec<_> = calls.collect();
    let mut times: Vec<Duration> =
        calls.into_iter().flat_map(|calls| calls.join().expect("they are answered")).collect();
    times.sort_unstable();
    let [half, most] = [times.len() / 2, times.len() * 99 / 100].map(|place| times[place]);
    println!("{server}, {SEATS} seats with a call a second: 50th percentile {half:.0?}, 99th {most:.0?}");
}

fn timed(seat: &Seat) -> Duration {
    let begin = Instant::now();
    seat.walk();
    begin.elapsed()
}

/// The processor time that a process has taken.
fn processor_time(process: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).expect("this is Linux");
    // The name of the program, in parentheses, may contain blanks.
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |place: usize| fields[place].parse::<u32>().expect("a number");
    TICK * (ticks(11) + ticks(12))
}

/// The address of a server on this machine.
fn local(port: u16) -> SocketAddr {
    ([127, 0, 0, 1], port).into()
}
