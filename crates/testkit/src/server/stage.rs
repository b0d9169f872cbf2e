//! The surroundings of a check: connections and an environment, which are removed afterwards.

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::server::client::{Client, Exchange};
use crate::server::environment::{Actor, Environment};
use crate::server::frames::Frames;
use crate::server::report::Plan;
use crate::server::stop::{Checked, Stop, ensure};

/// The surroundings of a check.
pub(crate) struct Stage<'a> {
    pub(crate) plan: &'a Plan,
    prefix: &'a str,
    exchange: Exchange,
    clients: Vec<Client>,
    /// The greetings with which sessions can be ended that have lost their connections.
    sessions: Vec<Session>,
    environments: Vec<String>,
    /// Makes environments and removes them.
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
    /// Its `hello`.
    pub(crate) hello: Value,
    /// The response to `hello`.
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
            environments: Vec::new(),
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
        let greeted = self.try_to_greet(hello).await?;
        greeted.map_err(|error| Stop::failed("`hello` is answered", error))
    }

    async fn try_to_greet(&mut self, hello: Value) -> Checked<Result<Guest, Value>> {
        let client = self.connect().await?;
        let greeting = match client.call("hello", hello.clone()).await? {
            Ok(greeting) => greeting,
            Err(error) => return Ok(Err(error)),
        };
        let guest = Guest { client: client.clone(), hello, greeting };
        self.sessions.push(Session { client, hello: guest.resuming() });
        Ok(Ok(guest))
    }

    /// A platform, which may act.
    pub(crate) async fn platform(&mut self) -> Checked<Client> {
        Ok(self.greet("platform", self.plan.token.as_deref()).await?.client)
    }

    /// Connects a platform with only the right to act.
    pub(crate) async fn stranger(&mut self) -> Checked<Client> {
        let guest = self.greet("platform", self.plan.token.as_deref()).await?;
        if guest.may("manage") {
            return Err(Stop::skipped("everybody may manage here"));
        }
        Ok(guest.client)
    }

    /// An observer.
    pub(crate) async fn observer(&mut self) -> Checked<Client> {
        Ok(self.watch().await?.client)
    }

    /// A guest in the role of an observer.
    pub(crate) async fn watch(&mut self) -> Checked<Guest> {
        let token = self.plan.manager_token.as_ref().or(self.plan.token.as_ref());
        let mut hello = json!({ "protocol": situated_wire::PROTOCOL, "role": "observer" });
        if let Some(token) = token {
            hello["token"] = token.as_str().into();
        }
        match self.try_to_greet(hello).await? {
            Ok(guest) => Ok(guest),
            Err(error) if error["data"]["kind"] == "forbidden" => Err(Stop::skipped("no token to observe with")),
            Err(error) => Err(Stop::failed("an observer is greeted", error)),
        }
    }

    /// Somebody who may manage.
    pub(crate) async fn manager(&mut self) -> Checked<Client> {
        if let Some(keeper) = &self.keeper {
            return Ok(keeper.clone());
        }
        let guest = self.watch().await?;
        if !guest.may("manage") {
            return Err(Stop::skipped("there is no right to manage: give a manager's token"));
        }
        self.keeper = Some(guest.client.clone());
        Ok(guest.client)
    }

    /// An environment that runs: one of its own if that can be had, otherwise one that is there.
    pub(crate) async fn environment(&mut self) -> Checked<Environment> {
        if let Some(name) = &self.plan.hosted {
            let name = json!(name);
            return Environment::describe(&self.platform().await?, &name).await;
        }
        match self.own_environment(json!({ "start": true })).await {
            Err(Stop::Skipped(_)) => {}
            made => return made,
        }
        let client = self.platform().await?;
        let listed = client.get("listEnvironments", json!({})).await?;
        let runs = |status: &&Value| status["state"] == "running";
        let status = listed["environments"].as_array().into_iter().flatten().find(runs);
        let status = status.ok_or_else(|| Stop::skipped("no environment is running, and none can be made"))?;
        Environment::describe(&client, &status["environment"]).await
    }

    /// An environment that runs, with an agent of a new client in it.
    pub(crate) async fn enter(&mut self) -> Checked<(Environment, Client, Actor)> {
        let environment = self.environment().await?;
        self.enter_this(environment).await
    }

    /// An environment that is made with these parameters, with an agent of a new client in it.
    pub(crate) async fn enter_own(&mut self, parameters: Value) -> Checked<(Environment, Client, Actor)> {
        let environment = self.own_environment(parameters).await?;
        self.enter_this(environment).await
    }

    async fn enter_this(&mut self, environment: Environment) -> Checked<(Environment, Client, Actor)> {
        let (client, name) = (self.platform().await?, self.name());
        let actor = environment.enter(&client, &name).await?;
        Ok((environment, client, actor))
    }

    /// An environment of its own, which is made with these parameters.
    pub(crate) async fn own_environment(&mut self, parameters: Value) -> Checked<Environment> {
        if self.plan.hosted.is_some() {
            return Err(Stop::skipped("it needs an environment that can be made"));
        }
        let kind = self.kind().await?;
        let keeper = self.manager().await?;
        let name = self.name();
        let mut create = json!({ "kind": kind, "environment": name });
        if let (Some(create), Value::Object(parameters)) = (create.as_object_mut(), parameters) {
            create.extend(parameters);
        }
        match keeper.call("createEnvironment", create).await? {
            Ok(created) => self.remove_later(&created["status"]["environment"]),
            Err(error) if error["data"]["kind"] == "management" => {
                return Err(Stop::skipped(format!("`{kind}` needs parameters: {}", error["message"])));
            }
            Err(error) => return Err(Stop::failed("an environment is made", error)),
        }
        Environment::describe(&keeper, &name.into()).await
    }

    /// Notes that an environment must be removed at the end.
    pub(crate) fn remove_later(&mut self, environment: &Value) {
        self.environments.extend(environment.as_str().map(str::to_owned));
    }

    /// The kind of which environments are made.
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
            for environment in std::mem::take(&mut self.environments) {
                // A check may have removed it already.
                let _ = keeper.call("removeEnvironment", json!({ "environment": environment })).await;
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
