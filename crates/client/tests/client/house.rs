//! A server with the world of Find the Goals, on a thread of its own.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use situated::interface::{EnvironmentInterface, Interface, State};
use situated_client::Client;
use situated_find_goals::FindGoals;
use situated_server::{Kinds, Server, Settings};
use situated_wire::methods::{CreateEnvironment, Role};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The name of the world.
pub(crate) const WORLD: &str = "find-goals";

/// A server, until it is dropped.
pub(crate) struct House {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl House {
    /// One whose sessions outlive their connections by this.
    pub(crate) fn open(grace: Duration) -> Self {
        Self::with(Settings { grace, ..Settings::default() })
    }

    /// One with these settings, at any port. In its world time runs, which means that steps are made when all who are there
    /// have acted.
    pub(crate) fn with(settings: Settings) -> Self {
        let settings = Settings { address: (Ipv4Addr::LOCALHOST, 0).into(), ..settings };
        let (sender, receiver) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime =
                Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("there are threads");
            runtime.block_on(async {
                let maze = Interface::<FindGoals>::new();
                let new = || Box::new(Interface::<FindGoals>::new()) as Box<dyn EnvironmentInterface>;
                let kinds = Kinds::new().with(maze.ontology().clone(), new);
                let server = Server::bind(settings, kinds).await.expect("there is a free port");
                server.create(world()).expect("there is room for it");
                sender.send(server.address()).expect("somebody waits for it");
                server.serve(async { drop(stopped.await) }).await;
            });
        });
        let address = receiver.recv().expect("it begins");
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    /// The server shuts down.
    pub(crate) fn close(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it does not panic");
        }
    }

    /// Waits until time runs in a world.
    pub(crate) async fn wait_for(&self, world: &str) {
        let client = Client::connect(&self.ways()[0]).role(Role::Observer).await.expect("the server listens");
        while client.environment(world).status().await.ok().is_none_or(|status| status.state != State::Running) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until there is no such world any more; whether that was so in time.
    pub(crate) async fn is_rid_of(&self, world: &str, within: Duration) -> bool {
        let client = Client::connect(&self.ways()[0]).role(Role::Observer).await.expect("the server listens");
        let gone = async {
            while client.environment(world).status().await.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(within, gone).await.is_ok()
    }

    /// Its address in both ways of speaking to it.
    pub(crate) fn ways(&self) -> [String; 2] {
        [format!("ws://{}", self.address), format!("tcp://{}", self.address)]
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.close();
    }
}

fn world() -> CreateEnvironment {
    CreateEnvironment {
        kind: WORLD.into(),
        environment: None,
        parameters: [("view".to_owned(), "global".into())].into(),
        seed: None,
        pace: None,
        speed: None,
        patience_ms: None,
        start: true,
    }
}
