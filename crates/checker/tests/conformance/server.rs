//! A server to check.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use situated_checker::server::{Plan, Transport};
use situated_find_goals::FindGoals;
use situated_server::{Access, Kinds, Right, Server, Settings, Token};
use situated_toys::yard::Yard;
use tokio::task::JoinHandle;

/// The token of agents, if the server has tokens.
pub(crate) const AGENT: &str = "a token for agents";

/// The token of managers, if the server has tokens.
pub(crate) const MANAGER: &str = "a token for managers";

/// A server that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Starts a server without tokens.
pub(crate) async fn open() -> Running {
    start(Access::open()).await
}

/// Starts a server with a token for agents and one for managers.
pub(crate) async fn guarded() -> Running {
    let token = |text| Token::new(text).expect("long enough");
    start(Access::open().with_token(token(AGENT), Right::Act).with_token(token(MANAGER), Right::Manage)).await
}

async fn start(access: Access) -> Running {
    let settings = Settings {
        address: (Ipv4Addr::LOCALHOST, 0).into(),
        access,
        grace: Duration::from_millis(1_500),
        ..Settings::default()
    };
    let kinds = Kinds::new().with_environment::<FindGoals>().with_environment::<Yard>();
    let server = Server::bind(settings, kinds).await.expect("a port is free");
    let address = server.address();
    Running { address, task: tokio::spawn(server.serve(std::future::pending())) }
}

/// The plan for checking the server at this address.
pub(crate) fn plan(address: SocketAddr, transport: Transport) -> Plan {
    let scheme = match transport {
        Transport::Lines => "tcp",
        Transport::WebSocket => "ws",
    };
    Plan::new(format!("{scheme}://{address}").parse().expect("it is an address"))
}
