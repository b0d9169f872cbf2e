//! The same round trips between two platforms of the real JADE, if `JADE_CLASSPATH` says where its jar and that of
//! `commons-codec` lie, and there is a JDK.

#[path = "../../../client/tests/jade/platform.rs"]
mod platform;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::Path;

use platform::{Jade, compile};

/// Measures the round trips, and prints them. The first ports are those of containers, the others those of the transport.
pub(crate) fn measure(classpath: &OsStr, folder: &Path, ports: [u16; 4]) {
    let classpath = compile(classpath, concat!(env!("CARGO_MANIFEST_DIR"), "/benches/mail/RoundTrips.java"), folder);
    let [farm, market, farm_transport, market_transport] = ports;
    let farm = Jade::start(&classpath, folder, "farm", [farm, farm_transport], "there:RoundTrips");
    let asker = format!("home:RoundTrips(there@farm,http://127.0.0.1:{farm_transport}/acc)");
    let mut market = Jade::start(&classpath, folder, "market", [market, market_transport], &asker);
    let lines = BufReader::new(market.0.stdout.take().expect("it is piped")).lines().map_while(Result::ok);
    for rate in lines.filter_map(|line| line.strip_prefix("rate ").map(str::to_owned)).take(2) {
        let (under_way, rate) = rate.split_once(' ').expect("two numbers");
        println!("between two platforms of JADE over HTTP, {under_way} under way: {rate} round trips/s");
    }
    drop(farm);
}
