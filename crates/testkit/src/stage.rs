//! What a check finds when it begins: connections, and a world. Afterwards all of it is taken away again.

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::client::Client;
use crate::exchange::Exchange;
use crate::frames::Frames;
use crate::plan::Plan;
use crate::stop::{Checked, Stop, ensure};
use crate::world::World;

/// What a check finds when it begins.
pub(crate) struct Stage<'a> {
    pub(crate) plan: &'a Plan,
    prefix: &'a str,
    exchange: Exchange,
    clients: Vec<Client>,
    /// The greetings with which sessions can be ended that have lost their connections.
    sessions: Vec<Session>,
    worlds: Vec<String>,
    /// Makes worlds and removes them.
    keeper: Option<Client>,
    named: u32,
}

/// A session that was begun.
struct Session {
    client: Client,
    hello: Value,
}

/// A client that has said hello.
pub(crate) struct Guest {
    pub(crate) client: Client,
    /// What it has said.
    pub(crate) hello: Value,
    /// What it was told.
    pub(crate) greeting: Value,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(plan: &'a Plan, prefix: &'a str) -> Self {
        Self {
            plan,
            prefix,
            exchange: Exchange::default(),
            clients: Vec::new(),
            sessions: Vec::new(),
            worlds: Vec::new(),
            keeper: None,
            named: 0,
        }
    }

    /// The frames that were exchanged.
    pub(crate) fn frames(&self) -> Vec<String> {
        self.exchange.frames()
    }

    /// A name that nobody else on the server has.
    pub(crate) fn name(&mut self) -> String {
        self.named += 1;
        format!("{}-{}", self.prefix, self.named)
    }

    /// A connection on which nothing has been said.
    pub(crate) async fn connect(&mut self) -> Checked<Client> {
        let opened = timeout(self.plan.patience, Frames::open(&self.plan.address)).await;
        let frames = opened.map_err(|_| Stop::failed("a connection", "nobody answers"))??;
        let number = u32::try_from(self.clients.len()).unwrap_or(u32::MAX);
        let client = Client::new(number, frames, self.exchange.clone(), self.plan.patience);
        self.clients.push(client.clone());
        Ok(client)
    }

    /// Says hello in this role, with this token.
    pub(crate) async fn greet(&mut self, role: &str, token: Option<&str>) -> Checked<Guest> {
        let mut hello = json!({ "protocol": situated_wire::PROTOCOL, "role": role, "client": "situated check" });
        if let Some(token) = token {
            hello["token"] = token.into();
        }
        self.greet_with(hello).await
    }

    /// Says hello with these parameters.
    pub(crate) async fn greet_with(&mut self, hello: Value) -> Checked<Guest> {
        let client = self.connect().await?;
        let greeting = client.get("hello", hello.clone()).await?;
        let mut again = hello.clone();
        again["resume"] = greeting["resume"].clone();
        self.sessions.push(Session { client: client.clone(), hello: again });
        Ok(Guest { client, hello, greeting })
    }

    /// A platform, which may act.
    pub(crate) async fn platform(&mut self) -> Checked<Client> {
        Ok(self.greet("platform", self.plan.token.as_deref()).await?.client)
    }

    /// A platform that may act, and nothing else.
    pub(crate) async fn stranger(&mut self) -> Checked<Client> {
        let guest = self.greet("platform", self.plan.token.as_deref()).await?;
        if guest.may("manage") {
            return Err(Stop::skipped("everybody may manage here"));
        }
        Ok(guest.client)
    }

    /// An observer.
    pub(crate) async fn observer(&mut self) -> Checked<Client> {
        let token = self.plan.manager_token.as_deref().or(self.plan.token.as_deref());
        let client = self.connect().await?;
        let mut hello = json!({ "protocol": situated_wire::PROTOCOL, "role": "observer" });
        if let Some(token) = token {
            hello["token"] = token.into();
        }
        match client.call("hello", hello).await? {
            Ok(_) => Ok(client),
            Err(error) if error["data"]["kind"] == "forbidden" => Err(Stop::skipped("no token to observe with")),
            Err(error) => Err(Stop::failed("an observer is greeted", error)),
        }
    }

    /// Somebody who may manage.
    pub(crate) async fn manager(&mut self) -> Checked<Client> {
        if let Some(keeper) = &self.keeper {
            return Ok(keeper.clone());
        }
        let keeper = self.observer().await?;
        let refused = "there is no right to manage: give a manager's token";
        let probe = keeper.call("removeEnvironment", json!({ "environment": self.prefix })).await?;
        let may = probe.is_err_and(|error| error["data"]["kind"] == "noSuchEnvironment");
        if !may {
            return Err(Stop::skipped(refused));
        }
        self.keeper = Some(keeper.clone());
        Ok(keeper)
    }

    /// A world that runs: one of its own if that can be had, otherwise one that is there.
    pub(crate) async fn world(&mut self) -> Checked<World> {
        match self.own_world(json!({ "start": true })).await {
            Err(Stop::Skipped(_)) => {}
            made => return made,
        }
        let client = self.platform().await?;
        let listed = client.get("listEnvironments", json!({})).await?;
        let runs = |status: &&Value| status["state"] == "running";
        let status = listed["environments"].as_array().into_iter().flatten().find(runs);
        let status = status.ok_or_else(|| Stop::skipped("no environment is running, and none can be made"))?;
        World::describe(&client, &status["environment"]).await
    }

    /// A world of its own, which is made with these parameters.
    pub(crate) async fn own_world(&mut self, parameters: Value) -> Checked<World> {
        let kind = self.kind().await?;
        let keeper = self.manager().await?;
        let name = self.name();
        let mut create = json!({ "kind": kind, "environment": name });
        if let (Some(create), Value::Object(parameters)) = (create.as_object_mut(), parameters) {
            create.extend(parameters);
        }
        match keeper.call("createEnvironment", create).await? {
            Ok(_) => self.worlds.push(name.clone()),
            Err(error) if error["data"]["kind"] == "management" => {
                return Err(Stop::skipped(format!("`{kind}` needs parameters: {}", error["message"])));
            }
            Err(error) => return Err(Stop::failed("an environment is made", error)),
        }
        World::describe(&keeper, &name.into()).await
    }

    /// The kind of which worlds are made.
    pub(crate) async fn kind(&mut self) -> Checked<String> {
        let keeper = self.manager().await?;
        if let Some(kind) = &self.plan.kind {
            return Ok(kind.clone());
        }
        let listed = keeper.get("listEnvironments", json!({})).await?;
        let kind = listed["kinds"][0]["kind"].as_str().map(str::to_owned);
        kind.ok_or_else(|| Stop::skipped("there is no kind of which an environment can be made"))
    }

    /// Takes away what there is, and holds that nothing was said that nobody has asked for.
    pub(crate) async fn clear(&mut self) -> Checked {
        let mut cleared = Ok(());
        for client in &self.clients {
            if client.is_greeted().await {
                cleared = cleared.and(client.settle().await);
            }
        }
        if let Some(keeper) = &self.keeper {
            for world in std::mem::take(&mut self.worlds) {
                // A check may have removed it already.
                let _ = keeper.call("removeEnvironment", json!({ "environment": world })).await;
            }
        }
        for Session { client, hello } in std::mem::take(&mut self.sessions) {
            if client.is_greeted().await {
                let _ = client.call("bye", json!({})).await;
            } else if let Ok(client) = self.connect().await {
                // Most have ended by themselves.
                if matches!(client.call("hello", hello).await, Ok(Ok(_))) {
                    let _ = client.call("bye", json!({})).await;
                }
            }
        }
        cleared
    }
}

impl Guest {
    /// Whether it has this right.
    pub(crate) fn may(&self, right: &str) -> bool {
        self.greeting["rights"].as_array().is_some_and(|rights| rights.iter().any(|one| one == right))
    }

    /// What resumes its session.
    pub(crate) fn resuming(&self) -> Value {
        let mut hello = self.hello.clone();
        hello["resume"] = self.greeting["resume"].clone();
        hello
    }

    /// One of its limits.
    pub(crate) fn limit(&self, name: &str) -> Checked<u64> {
        let limit = self.greeting["limits"][name].as_u64();
        ensure(limit.is_some_and(|limit| limit > 0), format!("the greeting has a limit `{name}`"), &self.greeting)?;
        Ok(limit.unwrap_or_default())
    }
}
