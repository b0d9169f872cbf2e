//! The same round trips between two platforms of the real JADE, if `JADE_CLASSPATH` says where its jar and that of
//! `commons-codec` lie, and there is a JDK.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Measures the round trips, and prints them. The first ports are those of containers, the others those of the transport.
pub(crate) fn measure(classpath: &OsStr, folder: &Path, ports: [u16; 4]) {
    fs::create_dir_all(folder).expect("it can be created");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/mail/RoundTrips.java");
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-cp"]).arg(classpath).arg("-d").arg(folder).arg(source).stderr(Stdio::null());
    assert!(javac.status().expect("there is a JDK").success(), "RoundTrips.java compiles");
    let classpath = join_paths(split_paths(classpath).chain([folder.to_owned()])).expect("they are paths");
    let [farm, market, farm_transport, market_transport] = ports;
    let farm = Platform::start(&classpath, folder, "farm", (farm, farm_transport), "there:RoundTrips");
    let asker = format!("home:RoundTrips(there@farm,http://127.0.0.1:{farm_transport}/acc)");
    let mut market = Platform::start(&classpath, folder, "market", (market, market_transport), &asker);
    let lines = BufReader::new(market.0.stdout.take().expect("it is piped")).lines().map_while(Result::ok);
    for rate in lines.filter_map(|line| line.strip_prefix("rate ").map(str::to_owned)).take(2) {
        let (under_way, rate) = rate.split_once(' ').expect("two numbers");
        println!("between two platforms of JADE over HTTP, {under_way} under way: {rate} round trips/s");
    }
    drop(farm);
}

struct Platform(Child);

impl Platform {
    /// Starts JADE with an agent, and waits until it listens.
    fn start(classpath: &OsString, folder: &Path, name: &str, (port, transport): (u16, u16), agent: &str) -> Self {
        let mut java = Command::new("java");
        // JADE reads envelopes by a class that newer versions of Java hide.
        java.args(["--add-exports", "java.xml/com.sun.org.apache.xerces.internal.jaxp=ALL-UNNAMED"]);
        java.arg("-cp").arg(classpath).args(["jade.Boot", "-name", name, "-local-host", "127.0.0.1"]);
        java.args(["-local-port", &port.to_string(), "-agents", agent, "-mtps"]);
        java.arg(format!("jade.mtp.http.MessageTransportProtocol(http://127.0.0.1:{transport}/acc)"));
        // It writes files where it runs.
        java.current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::null());
        let this = Self(java.spawn().expect("Java starts"));
        while TcpStream::connect((Ipv4Addr::LOCALHOST, transport)).is_err() {
            sleep(Duration::from_millis(50));
        }
        this
    }
}

impl Drop for Platform {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
