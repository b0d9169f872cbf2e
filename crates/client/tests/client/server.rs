//! A server with Find the Goals, which runs on its own thread.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use situated::interface::State;
use situated_client::Client;
use situated_find_goals::FindGoals;
use situated_server::{Kinds, Server, Settings};
use situated_wire::methods::{CreateEnvironment, Role};
use tokio::runtime::Builder;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The name of the environment.
pub(crate) const FIND_GOALS: &str = "find-goals";

/// A server that runs until it is dropped.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl TestServer {
    /// Starts a server with this grace period for lost connections.
    pub(crate) fn open(grace: Duration) -> Self {
        Self::with(Settings { grace, ..Settings::default() })
    }

    /// Starts a server with these settings at any port, with a running environment.
    pub(crate) fn with(settings: Settings) -> Self {
        Self::at(Settings { address: (Ipv4Addr::LOCALHOST, 0).into(), ..settings })
    }

    /// Starts a server with these settings and their address, with a running environment.
    pub(crate) fn at(settings: Settings) -> Self {
        let (sender, receiver) = std::sync::mpsc::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = thread::spawn(move || {
            let runtime =
                Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("the system has threads");
            runtime.block_on(async {
                let kinds = Kinds::new().with_environment::<FindGoals>();
                let server = Server::bind(settings, kinds).await.expect("there is a free port");
                let parameters = [("view".to_owned(), "global".into())].into();
                let find_goals = CreateEnvironment { parameters, start: true, ..CreateEnvironment::new(FIND_GOALS) };
                server.create(find_goals).expect("it can be created");
                sender.send(server.address()).expect("the receiver exists");
                server.serve(async { drop(stopped.await) }).await;
            });
        });
        let address = receiver.recv().expect("it begins");
        Self { address, stop: Some(stop), thread: Some(thread) }
    }

    /// Shuts the server down.
    pub(crate) fn close(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }

    /// Waits until an environment runs.
    pub(crate) async fn wait_for(&self, environment: &str) {
        let client = Client::connect(&self.addresses()[0]).role(Role::Observer).await.expect("the server listens");
        while client.environment(environment).status().await.ok().is_none_or(|status| status.state != State::Running) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until an environment is removed. Returns whether that happened in time.
    pub(crate) async fn has_removed(&self, environment: &str, within: Duration) -> bool {
        let client = Client::connect(&self.addresses()[0]).role(Role::Observer).await.expect("the server listens");
        let gone = async {
            while client.environment(environment).status().await.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(within, gone).await.is_ok()
    }

    /// Its addresses for WebSocket and for lines.
    pub(crate) fn addresses(&self) -> [String; 2] {
        [format!("ws://{}", self.address), format!("tcp://{}", self.address)]
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.close();
    }
}
