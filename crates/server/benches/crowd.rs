//! Many clients on one server, which runs in a process of its own. The benchmark ends by itself: `cargo bench --profile wheel -p
//! situated-server --bench crowd`
//!
//! - thousands of connected agents that receive percepts but do nothing, and hundreds that act once a second: memory
//!   per connection, and latency of actions;
//! - thousands of robots of Blocks World for Teams that act once a second: the same;
//! - a thousand robots that all see each other and perceive all the time: steps a second, and latency of perceptions;
//! - hundreds of connections that send a large frame at once: latency of another client's calls meanwhile.

#[path = "crowd/large_frames.rs"]
mod large_frames;
#[path = "crowd/players.rs"]
mod players;
#[path = "crowd/robots.rs"]
mod robots;
#[path = "crowd/serving.rs"]
mod serving;
#[path = "crowd/walkers.rs"]
mod walkers;

mod field;

use std::time::{Duration, Instant};
use std::{env, fs};

use tokio::time::sleep;

use field::{FIELD, field};
use players::{Player, play};
use robots::ROBOTS;
use serving::{Serving, serve};

/// Number of agents that do nothing.
const IDLE: usize = 5000;

/// Number of agents that act.
const ACTIVE: usize = 500;

const SERVE_FIELD: &str = "--serve-field";
const SERVE_ROBOTS: &str = "--serve-robots";
const SERVE_WALKERS: &str = "--serve-walkers";

fn main() {
    match env::args().nth(1).as_deref() {
        Some(SERVE_FIELD) => return serve(field::kinds(), field(IDLE + ACTIVE)),
        Some(SERVE_ROBOTS) => return serve(robots::kinds(), robots::environment()),
        Some(SERVE_WALKERS) => return serve(walkers::kinds(), walkers::environment()),
        _ => {}
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.expect("the system has threads").block_on(async {
        measure_agents().await;
        measure_robots().await;
        walkers::measure(Serving::start(SERVE_WALKERS).address).await;
        large_frames::measure(&Serving::start(SERVE_FIELD));
    });
}

async fn measure_agents() {
    let serving = Serving::start(SERVE_FIELD);
    let (before, begin) = (resident_bytes(&serving), Instant::now());
    let mut idle = Vec::with_capacity(IDLE);
    for number in 0..IDLE {
        idle.push(Player::connect(serving.address, FIELD, &format!("entity{number}"), true).await);
    }
    println!("{IDLE} idle agents connected within {:.1} s", begin.elapsed().as_secs_f64());
    println!("memory per connection: {:.1} KiB", kib_each(before, &serving, IDLE));

    let mut active = Vec::with_capacity(ACTIVE);
    for number in IDLE..IDLE + ACTIVE {
        active.push(Player::connect(serving.address, FIELD, &format!("entity{number}"), false).await);
    }
    play(active, |_, _| r#"{"name":"walk","args":[1]}"#.to_owned()).await;
    drop(idle);
    sleep(Duration::from_millis(100)).await;
}

async fn measure_robots() {
    let serving = Serving::start(SERVE_ROBOTS);
    let before = resident_bytes(&serving);
    let mut players = Vec::with_capacity(ROBOTS);
    for number in 1..=ROBOTS {
        let mut player = Player::connect(serving.address, robots::NAME, &format!("Bot_{number}"), false).await;
        // The first update contains everything, and takes by far the longest.
        player.step(&robots::action(number - 1, 0)).await;
        players.push(player);
    }
    println!("{ROBOTS} robots of Blocks World for Teams:");
    play(players, robots::action).await;
    println!("memory per robot, with its connection: {:.1} KiB", kib_each(before, &serving, ROBOTS));
}

/// Returns the growth of a server's memory per client, in KiB.
fn kib_each(before: u64, serving: &Serving, count: usize) -> f64 {
    resident_bytes(serving).saturating_sub(before) as f64 / 1024.0 / count as f64
}

/// The memory of a server.
fn resident_bytes(server: &Serving) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).expect("this is Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has memory");
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("it is a number");
    kibibytes * 1024
}
