//! Platforms of the real JADE, each in a process of its own.

use std::env::{join_paths, split_paths};
use std::ffi::{OsStr, OsString};
use std::fs::{File, create_dir_all};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A running platform. Dropping this value stops it.
pub(crate) struct Jade(pub(crate) Child);

/// Compiles the class of an agent into a folder. Returns the classpath with both.
pub(crate) fn compile(classpath: &OsStr, source: &str, folder: &Path) -> OsString {
    create_dir_all(folder).expect("it can be created");
    let mut javac = Command::new("javac");
    javac.args(["-nowarn", "-cp"]).arg(classpath).arg("-d").arg(folder).arg(source).stderr(Stdio::null());
    assert!(javac.status().expect("there is a JDK").success(), "{source} compiles");
    join_paths(split_paths(classpath).chain([folder.to_owned()])).expect("they are paths")
}

impl Jade {
    /// Starts a platform with agents in a folder, and waits until it listens. The ports are those of its container and of
    /// its transport.
    pub(crate) fn start(classpath: &OsStr, folder: &Path, name: &str, ports: [u16; 2], agents: &str) -> Self {
        let [container, transport] = ports;
        let mut java = Command::new("java");
        // JADE reads envelopes by a class that newer versions of Java hide.
        java.args(["--add-exports", "java.xml/com.sun.org.apache.xerces.internal.jaxp=ALL-UNNAMED"]);
        java.arg("-cp").arg(classpath).args(["jade.Boot", "-name", name, "-local-host", "127.0.0.1"]);
        java.args(["-local-port", &container.to_string(), "-agents", agents, "-mtps"]);
        java.arg(format!("jade.mtp.http.MessageTransportProtocol(http://127.0.0.1:{transport}/acc)"));
        // It writes files where it runs.
        let log = File::create(folder.join(format!("{name}.log"))).expect("it can be written");
        java.current_dir(folder).stdout(Stdio::piped()).stderr(log);
        let this = Self(java.spawn().expect("Java starts"));
        while TcpStream::connect((Ipv4Addr::LOCALHOST, transport)).is_err() {
            sleep(Duration::from_millis(50));
        }
        this
    }
}

impl Drop for Jade {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
