//! Checks of a host, through the server: the host answers requests in time, and sends changes.

use serde_json::{Value, json};

use crate::server::beliefs::list;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};

group! {
    "hosting-begins" "Calls to hosts" "The first episode has begun, and the entities that the host sent exist." begins;
    "hosting-percepts" "Calls to hosts" "The host sends the percepts of an entity before an agent perceives, or as soon as the entity has an agent." percepts;
    "hosting-acts" "Call act" "The host executes every declared action, or rejects it with a reason, in time." acts;
    "hosting-time" "Calls to hosts" "Time advances according to the pace." time;
    "hosting-pause" "Call pause" "Time can be paused and continued." pause;
    "hosting-reset" "Call reset" "A new episode begins, and agents remain registered." reset;
}

async fn begins(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let client = stage.platform().await?;
    let status = environment.status(&client).await?;
    ensure_equal("a hosted environment", &json!(true), &status["hosted"])?;
    ensure(status["state"] == "running" || status["state"] == "paused", "running or paused", &status["state"])?;
    for entity in environment.entities(&client).await? {
        let of = entity["entityType"].as_str().unwrap_or_default();
        ensure(environment.ontology.find_entity_type(of).is_some(), "a type that is declared", &entity)?;
    }
    Ok(())
}

async fn percepts(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let first = environment.perceive(&client, &actor, "update", "lastCall").await?;
    ensure_equal("a complete first update", &json!(true), &first["resync"])?;
    if list(&first["add"]).is_empty() {
        // The server asked the host when the agent was associated; give the host time to answer.
        tokio::time::sleep(stage.plan.patience / 4).await;
        let snapshot = environment.perceive(&client, &actor, "snapshot", "lastCall").await?;
        let declares = environment.ontology.entity_types.iter().any(|of| !of.percepts.is_empty());
        ensure(!declares || !list(&snapshot["add"]).is_empty(), "a percept of an entity", &snapshot)?;
    }
    Ok(())
}

async fn acts(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    for action in environment.actions(&actor)? {
        let acting = environment.of(json!({ "agent": actor.agent, "action": action }));
        let acted = client.get("act", acting).await?;
        for result in list(&acted["results"]) {
            let kind = &result["error"]["data"]["kind"];
            let refused_by_environment = kind == "failure" || kind == "notSupportedByEntity";
            ensure(
                kind.is_null() || refused_by_environment,
                format!("{action} is done, or fails for a reason"),
                &result,
            )?;
        }
    }
    Ok(())
}

async fn time(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let before = environment.status(&client).await?["moment"].clone();
    if environment.pace == "reactive" {
        let mut accepted = false;
        for action in environment.actions(&actor)? {
            let acted = client.get("act", environment.of(json!({ "agent": actor.agent, "action": action }))).await?;
            accepted |= list(&acted["results"]).iter().any(|result| result["error"].is_null());
        }
        if !accepted {
            return Err(Stop::skipped("no action is accepted"));
        }
    } else if environment.pace == "lockstep" {
        client.get("step", environment.of(json!({ "agents": [{ "agent": actor.agent }] }))).await?;
    } else {
        client.get("wait", environment.of(json!({ "after": before }))).await?;
    }
    let after = environment.status(&client).await?["moment"].clone();
    ensure(after["step"].as_u64() > before["step"].as_u64(), format!("a step after {}", before["step"]), &after["step"])
}

async fn pause(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let manager = stage.manager().await?;
    for (command, state) in [("pause", "paused"), ("start", "running")] {
        manager.get("manage", environment.of(json!({ "command": command }))).await?;
        ensure_equal("the state", &json!(state), &environment.status(&manager).await?["state"])?;
    }
    Ok(())
}

async fn reset(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let manager = stage.manager().await?;
    let episode = |status: &Value| status["moment"]["episode"].as_u64();
    let before = episode(&environment.status(&client).await?);
    manager.get("manage", environment.of(json!({ "command": { "reset": {} } }))).await?;
    manager.get("manage", environment.of(json!({ "command": "start" }))).await?;
    let after = episode(&environment.status(&client).await?);
    ensure(after > before, "a later episode", json!(after))?;
    if environment.entity(&client, &actor.entity).await?["agents"] == json!([actor.agent]) {
        let received = environment.perceive(&client, &actor, "update", "lastCall").await?;
        ensure_equal("the update invalidates all beliefs", &json!(true), &received["resync"])?;
    }
    Ok(())
}
