//! The connections and the environment of a check, which are removed afterwards.

use serde_json::{Value, json};
use tokio::time::timeout;

use crate::server::client::{Client, Exchange};
use crate::server::environment::{Actor, Environment};
use crate::server::frames::Frames;
use crate::server::plan::Plan;
use crate::server::stop::{Checked, Stop, ensure};

/// The surroundings of a check.
pub(crate) struct Stage<'a> {
    pub(crate) plan: &'a Plan,
    prefix: &'a str,
    exchange: Exchange,
    clients: Vec<Client>,
    /// The greetings with which sessions that have lost their connections can be ended.
    sessions: Vec<Session>,
    environments: Vec<String>,
    /// The client that creates and removes environments.
    keeper: Option<Client>,
    named: u32,
}

/// A session that was opened.
struct Session {
    client: Client,
    hello: Value,
}

/// A client that has sent `hello`.
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

    /// Returns a name that is unique on the server.
    pub(crate) fn name(&mut self) -> String {
        self.named += 1;
        format!("{}-{}", self.prefix, self.named)
    }

    /// Opens a connection without sending anything.
    pub(crate) async fn connect(&mut self) -> Checked<Client> {
        let opened = timeout(self.plan.patience, Frames::open(&self.plan.address)).await;
        let frames = opened.map_err(|_| Stop::failed("a connection", "no server answers"))??;
        let number = u32::try_from(self.clients.len()).unwrap_or(u32::MAX);
        let client = Client::new(number, frames, self.exchange.clone(), self.plan.patience);
        self.clients.push(client.clone());
        Ok(client)
    }

    /// Sends `hello` with this role and token.
    pub(crate) async fn greet(&mut self, role: &str, token: Option<&str>) -> Checked<Guest> {
        self.greet_with(hello(role, token)).await
    }

    /// Returns the reason why the server refuses this token for this role, if it does.
    pub(crate) async fn refusal(&mut self, role: &str, token: Option<&str>) -> Option<String> {
        let Ok(Err(error)) = self.try_to_greet(hello(role, token)).await else { return None };
        let is_about_token = ["unauthorized", "forbidden"].iter().any(|kind| error["data"]["kind"] == *kind);
        is_about_token.then(|| error["message"].as_str().unwrap_or_default().to_owned())
    }

    /// Sends `hello` with these parameters.
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

    /// Connects a platform, which may act.
    pub(crate) async fn platform(&mut self) -> Checked<Client> {
        Ok(self.greet("platform", self.plan.token.as_deref()).await?.client)
    }

    /// Connects a platform with only the right to act.
    pub(crate) async fn stranger(&mut self) -> Checked<Client> {
        let guest = self.greet("platform", self.plan.token.as_deref()).await?;
        if guest.may("manage") {
            return Err(Stop::skipped("everyone may manage here"));
        }
        Ok(guest.client)
    }

    /// An observer.
    pub(crate) async fn observer(&mut self) -> Checked<Client> {
        Ok(self.watch().await?.client)
    }

    /// Connects an observer.
    pub(crate) async fn watch(&mut self) -> Checked<Guest> {
        let token = self.plan.manager_token.as_ref().or(self.plan.token.as_ref());
        match self.try_to_greet(hello("observer", token.map(String::as_str))).await? {
            Ok(guest) => Ok(guest),
            Err(error) if error["data"]["kind"] == "forbidden" => Err(Stop::skipped("no token to observe with")),
            Err(error) => Err(Stop::failed("`hello` of an observer succeeds", error)),
        }
    }

    /// Connects a client that may manage.
    pub(crate) async fn manager(&mut self) -> Checked<Client> {
        if let Some(keeper) = &self.keeper {
            return Ok(keeper.clone());
        }
        let guest = self.watch().await?;
        if !guest.may("manage") {
            return Err(Stop::skipped("no right to manage; give a manager's token"));
        }
        self.keeper = Some(guest.client.clone());
        Ok(guest.client)
    }

    /// Returns a running environment: its own if it may create one, otherwise an existing one.
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
        let status = status.ok_or_else(|| Stop::skipped("no environment is running, and none can be created"))?;
        Environment::describe(&client, &status["environment"]).await
    }

    /// Returns a running environment, with an agent of a new client in it.
    pub(crate) async fn enter(&mut self) -> Checked<(Environment, Client, Actor)> {
        let environment = self.environment().await?;
        self.enter_this(environment).await
    }

    /// Creates an environment with these parameters, with an agent of a new client in it.
    pub(crate) async fn enter_own(&mut self, parameters: Value) -> Checked<(Environment, Client, Actor)> {
        let environment = self.own_environment(parameters).await?;
        self.enter_this(environment).await
    }

    async fn enter_this(&mut self, environment: Environment) -> Checked<(Environment, Client, Actor)> {
        let (client, name) = (self.platform().await?, self.name());
        let actor = environment.enter(&client, &name).await?;
        Ok((environment, client, actor))
    }

    /// Creates an environment with these parameters.
    pub(crate) async fn own_environment(&mut self, parameters: Value) -> Checked<Environment> {
        if self.plan.hosted.is_some() {
            return Err(Stop::skipped("no environment can be created"));
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
            Err(error) => return Err(Stop::failed("an environment is created", error)),
        }
        Environment::describe(&keeper, &name.into()).await
    }

    /// Notes that an environment must be removed at the end.
    pub(crate) fn remove_later(&mut self, environment: &Value) {
        self.environments.extend(environment.as_str().map(str::to_owned));
    }

    /// The kind of environments to create.
    pub(crate) async fn kind(&mut self) -> Checked<String> {
        let keeper = self.manager().await?;
        if let Some(kind) = &self.plan.kind {
            return Ok(kind.clone());
        }
        let listed = keeper.get("listEnvironments", json!({})).await?;
        let kind = listed["kinds"][0]["kind"].as_str().map(str::to_owned);
        kind.ok_or_else(|| Stop::skipped("the server has no kind of environment to create"))
    }

    /// Removes everything, and checks that the server sent nothing unexpected.
    pub(crate) async fn clear(&mut self) -> Checked {
        let mut cleared = Ok(());
        for client in &self.clients {
            if client.is_greeted().await {
                cleared = cleared.and(client.settle().await);
            }
        }
        if let Some(keeper) = &self.keeper {
            for environment in std::mem::take(&mut self.environments) {
                // The check may have removed it already.
                let _ = keeper.call("removeEnvironment", json!({ "environment": environment })).await;
            }
        }
        for Session { client, hello } in std::mem::take(&mut self.sessions) {
            if client.is_greeted().await {
                let _ = client.call("bye", json!({})).await;
            } else if let Ok(client) = self.connect().await {
                // Most have already ended.
                if matches!(client.call("hello", hello).await, Ok(Ok(_))) {
                    let _ = client.call("bye", json!({})).await;
                }
            }
        }
        cleared
    }
}

/// Returns a `hello` with this role and token.
fn hello(role: &str, token: Option<&str>) -> Value {
    let mut hello = json!({ "protocol": situated_wire::PROTOCOL, "role": role, "client": "situated check" });
    if let Some(token) = token {
        hello["token"] = token.into();
    }
    hello
}

impl Guest {
    /// Whether the client has this right.
    pub(crate) fn may(&self, right: &str) -> bool {
        self.greeting["rights"].as_array().is_some_and(|rights| rights.iter().any(|one| one == right))
    }

    /// The `hello` that resumes its session.
    pub(crate) fn resuming(&self) -> Value {
        let mut hello = self.hello.clone();
        hello["resume"] = self.greeting["resume"].clone();
        hello
    }

    /// Returns one of its limits.
    pub(crate) fn limit(&self, name: &str) -> Checked<u64> {
        let limit = self.greeting["limits"][name].as_u64();
        ensure(limit.is_some_and(|limit| limit > 0), format!("the greeting has a limit `{name}`"), &self.greeting)?;
        Ok(limit.unwrap_or_default())
    }
}
