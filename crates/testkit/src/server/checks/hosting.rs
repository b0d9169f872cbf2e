//! A world that somebody hosts, seen from the other side of the server: the host answers what it is called for, in time, and
//! tells what has changed.

use serde_json::{Value, json};

use crate::server::beliefs::list;
use crate::server::client::Client;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};
use crate::server::world::{Body, World};

group! {
    "hosting-begins" "Calls to hosts" "The first episode has begun, and the entities that were told of are there." begins;
    "hosting-percepts" "Calls to hosts" "What holds for an entity is told before anybody asks, or as soon as somebody has it." percepts;
    "hosting-acts" "Call act" "Every action that is declared is done, or refused with a reason, in time." acts;
    "hosting-time" "Calls to hosts" "Time moves as the pace says." time;
    "hosting-pause" "Call pause" "Time can be stopped, and goes on." pause;
    "hosting-reset" "Call reset" "A new episode begins, and agents live on in it." reset;
}

async fn enter(stage: &mut Stage<'_>) -> Checked<(World, Client, Body)> {
    let world = stage.world().await?;
    let (client, name) = (stage.platform().await?, stage.name());
    let body = world.enter(&client, &name).await?;
    Ok((world, client, body))
}

async fn begins(stage: &mut Stage<'_>) -> Checked {
    let world = stage.world().await?;
    let client = stage.platform().await?;
    let status = world.status(&client).await?;
    ensure_equal("a hosted environment", &json!(true), &status["hosted"])?;
    ensure(status["state"] == "running" || status["state"] == "paused", "running or paused", &status["state"])?;
    let declared = list(&world.ontology["entityTypes"]);
    for entity in world.entities(&client).await? {
        ensure(declared.iter().any(|one| one["name"] == entity["entityType"]), "a type that is declared", &entity)?;
    }
    Ok(())
}

async fn percepts(stage: &mut Stage<'_>) -> Checked {
    let (world, client, body) = enter(stage).await?;
    let first = world.perceive(&client, &body, "update", "lastCall").await?;
    ensure_equal("everything, when it is told for the first time", &json!(true), &first["resync"])?;
    if list(&first["add"]).is_empty() {
        // The host was asked for it when the agent came, and has a moment to answer.
        tokio::time::sleep(stage.plan.patience / 4).await;
        let snapshot = world.perceive(&client, &body, "snapshot", "lastCall").await?;
        let declares = list(&world.ontology["entityTypes"]).iter().any(|one| !list(&one["percepts"]).is_empty());
        ensure(!declares || !list(&snapshot["add"]).is_empty(), "something that holds for an entity", &snapshot)?;
    }
    Ok(())
}

async fn acts(stage: &mut Stage<'_>) -> Checked {
    let (world, client, body) = enter(stage).await?;
    for action in world.actions(&body)? {
        let acting = world.of(json!({ "agent": body.agent, "action": action }));
        let acted = client.get("act", acting).await?;
        for result in list(&acted["results"]) {
            let kind = &result["error"]["data"]["kind"];
            let refused_by_world = kind == "failure" || kind == "notSupportedByEntity";
            ensure(kind.is_null() || refused_by_world, format!("{action} is done, or fails for a reason"), &result)?;
        }
    }
    Ok(())
}

async fn time(stage: &mut Stage<'_>) -> Checked {
    let (world, client, body) = enter(stage).await?;
    let before = world.status(&client).await?["moment"].clone();
    if world.pace == "reactive" {
        let mut accepted = false;
        for action in world.actions(&body)? {
            let acted = client.get("act", world.of(json!({ "agent": body.agent, "action": action }))).await?;
            accepted |= list(&acted["results"]).iter().any(|result| result["error"].is_null());
        }
        if !accepted {
            return Err(Stop::skipped("no action is accepted"));
        }
    } else if world.pace == "lockstep" {
        client.get("step", world.of(json!({ "agents": [{ "agent": body.agent }] }))).await?;
    } else {
        client.get("wait", world.of(json!({ "after": before }))).await?;
    }
    let after = world.status(&client).await?["moment"].clone();
    ensure(after["step"].as_u64() > before["step"].as_u64(), format!("a step after {}", before["step"]), &after["step"])
}

async fn pause(stage: &mut Stage<'_>) -> Checked {
    let world = stage.world().await?;
    let manager = stage.manager().await?;
    for (command, state) in [("pause", "paused"), ("start", "running")] {
        manager.get("manage", world.of(json!({ "command": command }))).await?;
        ensure_equal("the state", &json!(state), &world.status(&manager).await?["state"])?;
    }
    Ok(())
}

async fn reset(stage: &mut Stage<'_>) -> Checked {
    let (world, client, body) = enter(stage).await?;
    let manager = stage.manager().await?;
    let episode = |status: &Value| status["moment"]["episode"].as_u64();
    let before = episode(&world.status(&client).await?);
    manager.get("manage", world.of(json!({ "command": { "reset": {} } }))).await?;
    manager.get("manage", world.of(json!({ "command": "start" }))).await?;
    let after = episode(&world.status(&client).await?);
    ensure(after > before, "a later episode", json!(after))?;
    if world.entity(&client, &body.entity).await?["agents"] == json!([body.agent]) {
        let told = world.perceive(&client, &body, "update", "lastCall").await?;
        ensure_equal("that all that was believed is void", &json!(true), &told["resync"])?;
    }
    Ok(())
}
