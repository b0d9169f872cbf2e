//! The server, in a process of its own.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use situated_server::{Kinds, Server, Settings};
use situated_wire::methods::CreateEnvironment;

/// A server in another process. Dropping this value stops it.
pub(crate) struct Serving {
    process: Child,
    pub(crate) address: SocketAddr,
}

impl Serving {
    /// Starts this program again, with an argument that names the environment to serve.
    pub(crate) fn start(what: &str) -> Self {
        let mut process = Command::new(env::current_exe().expect("this is a program"))
            .arg(what)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it can be started");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("it is piped"))
            .read_line(&mut line)
            .expect("the server prints its address");
        Self { address: line.trim().parse().expect("it is an address"), process }
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        self.process.wait().expect("it ends");
    }
}

/// Serves an environment until the input of this process is closed.
pub(crate) fn serve(kinds: Kinds, environment: CreateEnvironment) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("the system has threads");
    runtime.block_on(async {
        let settings = Settings { address: ([127, 0, 0, 1], 0).into(), ..Settings::default() };
        let server = Server::bind(settings, kinds).await.expect("a free port");
        server.create(environment).expect("there is such an environment");
        println!("{}", server.address());
        let closed = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        server.serve(async { drop(closed.await) }).await;
    });
}
