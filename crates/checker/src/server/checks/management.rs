//! Managing environments.

use serde_json::{Value, json};
use situated_wire::Code;

use crate::server::beliefs::list;
use crate::server::client::Client;
use crate::server::environment::Environment;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, ensure, ensure_equal};

group! {
    "management-states" "manage" "The states of an environment change only as in the standard." states;
    "management-paused" "Type State" "In a paused environment, agents perceive but cannot act." paused;
    "management-killed" "Type State" "A killed environment stays killed." killed;
    "management-reset" "Type Command" "A reset begins a new episode, and agents keep the entities that exist again." reset;
    "management-parameters" "Type Command" "Wrong parameters are rejected, and the episode continues." parameters;
    "management-create" "createEnvironment" "An environment that cannot be created is rejected, and nothing remains of it." create;
    "management-several" "createEnvironment" "There can be several environments of a kind, each with its own name." several;
    "management-remove" "removeEnvironment" "A removed environment is no longer listed, and its name and its agents' names are free." remove;
}

async fn manage(keeper: &Client, environment: &Environment, command: Value, then: &str) -> Checked {
    keeper.get("manage", environment.of(json!({ "command": command }))).await?;
    state(keeper, environment, then).await
}

async fn refused(keeper: &Client, environment: &Environment, command: Value, still: &str) -> Checked {
    keeper.refused("manage", environment.of(json!({ "command": command })), Code::WrongState).await?;
    state(keeper, environment, still).await
}

async fn state(keeper: &Client, environment: &Environment, expected: &str) -> Checked {
    let status = environment.status(keeper).await?;
    ensure_equal("the state", &expected.into(), &status["state"])
}

async fn states(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.own_environment(json!({})).await?;
    let keeper = stage.manager().await?;
    let init = || json!({ "init": { "parameters": {}, "seed": 1 } });
    state(&keeper, &environment, "paused").await?;
    refused(&keeper, &environment, "pause".into(), "paused").await?;
    refused(&keeper, &environment, init(), "paused").await?;
    manage(&keeper, &environment, "start".into(), "running").await?;
    refused(&keeper, &environment, "start".into(), "running").await?;
    refused(&keeper, &environment, init(), "running").await?;
    manage(&keeper, &environment, "pause".into(), "paused").await?;
    manage(&keeper, &environment, "start".into(), "running").await?;
    manage(&keeper, &environment, json!({ "reset": {} }), "paused").await?;
    manage(&keeper, &environment, json!({ "reset": {} }), "paused").await?;
    manage(&keeper, &environment, "kill".into(), "killed").await
}

async fn paused(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter_own(json!({})).await?;
    environment.perceive(&client, &actor, "update", "lastCall").await?;
    client.refused("act", environment.acting(&actor)?, Code::WrongState).await?;
    let turn = json!([{ "agent": actor.agent, "action": environment.action(&actor)? }]);
    let stepped = client.get("step", environment.of(json!({ "agents": turn }))).await?;
    let kind = &stepped["agents"][0]["error"]["data"]["kind"];
    ensure_equal("the error of the turn", &"wrongState".into(), kind)
}

async fn killed(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter_own(json!({ "start": true })).await?;
    let keeper = stage.manager().await?;
    manage(&keeper, &environment, "kill".into(), "killed").await?;
    for command in [json!("start"), json!("pause"), json!("kill"), json!({ "reset": {} })] {
        refused(&keeper, &environment, command, "killed").await?;
    }
    ensure(environment.entities(&client).await?.is_empty(), "no entities", "some")?;
    let acted = client.call("act", environment.acting(&actor)?).await?;
    ensure(acted.is_err(), "agents can no longer act", json!(acted.ok()))?;
    client.get("unregister", environment.of(json!({ "agent": actor.agent }))).await.map(drop)
}

async fn reset(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter_own(json!({ "start": true })).await?;
    let keeper = stage.manager().await?;
    environment.act_times(&client, &actor, 2).await?;
    let before = environment.status(&client).await?["moment"].clone();
    manage(&keeper, &environment, json!({ "reset": { "seed": 9 } }), "paused").await?;
    let now = environment.status(&client).await?["moment"].clone();
    ensure_equal("the next episode", &json!(before["episode"].as_u64().unwrap_or_default() + 1), &now["episode"])?;
    ensure_equal("its beginning", &0.into(), &now["step"])?;
    if let Ok(entity) = environment.entity(&client, &actor.entity).await {
        ensure_equal("its agents", &json!([actor.agent]), &entity["agents"])?;
    }
    Ok(())
}

async fn parameters(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.own_environment(json!({ "start": true })).await?;
    let keeper = stage.manager().await?;
    let before = environment.status(&keeper).await?["moment"]["episode"].clone();
    let wrong = json!({ "reset": { "parameters": { "there is no such parameter": 1 } } });
    keeper.refused("manage", environment.of(json!({ "command": wrong })), Code::Management).await?;
    state(&keeper, &environment, "running").await?;
    ensure_equal("the episode", &before, &environment.status(&keeper).await?["moment"]["episode"])?;
    let unknown = environment.of(json!({ "command": "explode" }));
    keeper.refused("manage", unknown, Code::InvalidParameters).await.map(drop)
}

/// The names of all environments.
async fn names(client: &Client) -> Checked<Vec<Value>> {
    let listed = client.get("listEnvironments", json!({})).await?;
    Ok(list(&listed["environments"]).iter().map(|status| status["environment"].clone()).collect())
}

async fn create(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.own_environment(json!({})).await?;
    let (keeper, kind, name) = (stage.manager().await?, stage.kind().await?, stage.name());
    for (call, code) in [
        (json!({ "kind": "there is no such kind", "environment": name }), Code::NoSuchKind),
        (json!({ "kind": kind, "environment": environment.name }), Code::EnvironmentName),
        (json!({ "kind": kind, "environment": "" }), Code::EnvironmentName),
        (json!({ "kind": kind, "environment": "x".repeat(257) }), Code::EnvironmentName),
        (json!({ "kind": kind, "environment": name, "parameters": { "there is no such": 1 } }), Code::Management),
        (json!({ "kind": kind, "environment": name, "speed": 0 }), Code::InvalidParameters),
        (json!({ "kind": kind, "environment": name, "pace": "leisurely" }), Code::InvalidParameters),
        (
            json!({ "kind": kind, "environment": name, "pace": { "realTime": { "stepsPerSecond": 0 } } }),
            Code::InvalidParameters,
        ),
    ] {
        keeper.refused("createEnvironment", call, code).await?;
        let there = names(&keeper).await?.contains(&name.as_str().into());
        ensure(!there, format!("no environment `{name}`"), "there is one")?;
    }
    Ok(())
}

async fn several(stage: &mut Stage<'_>) -> Checked {
    let paced = || json!({ "pace": { "realTime": { "stepsPerSecond": 50.0 } } });
    let (one, other) = (stage.own_environment(paced()).await?, stage.own_environment(paced()).await?);
    let keeper = stage.manager().await?;
    keeper.get("advance", one.of(json!({ "steps": 3 }))).await?;
    ensure_equal("the step of the other", &0.into(), &other.status(&keeper).await?["moment"]["step"])?;
    let kind = stage.kind().await?;
    let mut made = Vec::new();
    for _ in 0..2 {
        let created = keeper.get("createEnvironment", json!({ "kind": kind })).await?;
        stage.remove_later(&created["status"]["environment"]);
        made.push(created["status"]["environment"].clone());
    }
    ensure(made[0] != made[1], "two names", json!(made))
}

async fn remove(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter_own(json!({ "start": true })).await?;
    let keeper = stage.manager().await?;
    let waiting =
        client.begin("wait", environment.of(json!({ "after": { "episode": 99, "step": 0, "time": 0 } }))).await?;
    keeper.get("removeEnvironment", environment.of(json!({}))).await?;
    let waited = client.answer(waiting).await?;
    ensure(waited.is_err(), "a waiting call fails", json!(waited.ok()))?;
    client.refused("act", environment.acting(&actor)?, Code::NoSuchEnvironment).await?;
    keeper.refused("removeEnvironment", environment.of(json!({})), Code::NoSuchEnvironment).await?;
    let kind = stage.kind().await?;
    keeper.get("createEnvironment", json!({ "kind": kind, "environment": environment.name })).await?;
    let other = stage.platform().await?;
    environment.register(&other, &actor.agent).await
}
