//! Sessions, which remain after connections are lost.

use std::time::Duration;

use serde_json::{Value, json};
use situated_wire::Code;
use tokio::time::{Instant, sleep};

use crate::server::beliefs::list;
use crate::server::client::{Client, check_message};
use crate::server::environment::{Actor, Environment, perception_of};
use crate::server::stage::{Guest, Stage};
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};

/// Maximum grace period, in milliseconds, whose end is tested.
const SHORT: u64 = 3_000;

group! {
    "sessions-resume" "Sessions" "A client that resumes with its resume token has the same agents and entities." resume;
    "sessions-unacknowledged" "Perceiving" "Updates that were not acknowledged are sent again after a lost connection." unacknowledged;
    "sessions-subscriptions" "Sessions" "Subscriptions keep their numbers, and begin with complete updates." subscriptions;
    "sessions-takeover" "Sessions" "The last connection that resumes a session takes it over; the server closes the other with this reason." takeover;
    "sessions-unknown" "Sessions" "An unknown resume token is rejected." unknown;
    "sessions-role" "Sessions" "A session can be resumed only in its original role." role;
    "sessions-bye" "bye" "`bye` ends the session at once: entities and names are free, and the server closes the connection." bye;
    "sessions-grace" "Sessions" "A session ends after the grace period." grace;
}

async fn enter(stage: &mut Stage<'_>) -> Checked<(Environment, Guest, Actor)> {
    let environment = stage.environment().await?;
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let name = stage.name();
    let actor = environment.enter(&guest.client, &name).await?;
    Ok((environment, guest, actor))
}

/// Drops the connection and resumes the session.
async fn come_back(stage: &mut Stage<'_>, guest: &Guest) -> Checked<Client> {
    guest.client.drop_connection().await;
    let back = stage.greet_with(guest.resuming()).await?;
    ensure_equal("a resumed session", &true.into(), &back.greeting["resumed"])?;
    Ok(back.client)
}

async fn resume(stage: &mut Stage<'_>) -> Checked {
    let (environment, guest, actor) = enter(stage).await?;
    let mut acting = environment.acting(&actor)?;
    acting["number"] = 1.into();
    let first = guest.client.get("act", acting.clone()).await?;
    let client = come_back(stage, &guest).await?;
    let entity = environment.entity(&client, &actor.entity).await?;
    ensure_equal("its agents", &json!([actor.agent]), &entity["agents"])?;
    let again = client.get("act", acting).await?;
    ensure_equal("the same results again", &first["results"], &again["results"])?;
    client.get("act", environment.acting(&actor)?).await.map(drop)
}

async fn unacknowledged(stage: &mut Stage<'_>) -> Checked {
    let (environment, guest, actor) = enter(stage).await?;
    let first = environment.perceive(&guest.client, &actor, "update", "acknowledged").await?;
    let versions = json!([{ "entity": actor.entity, "version": first["version"] }]);
    let knows = environment.of(json!({ "agent": actor.agent, "versions": versions }));
    guest.client.get("acknowledge", knows).await?;
    environment.act_times(&guest.client, &actor, 2).await?;
    let lost = environment.perceive(&guest.client, &actor, "update", "acknowledged").await?;
    let client = come_back(stage, &guest).await?;
    let again = environment.perceive(&client, &actor, "update", "acknowledged").await?;
    ensure_equal("since the acknowledged version", &first["version"], &again["since"])?;
    if !environment.moves_by_itself() {
        ensure_equal("the same update again", &lost, &again)?;
    }
    Ok(())
}

async fn subscriptions(stage: &mut Stage<'_>) -> Checked {
    let (environment, guest, actor) = enter(stage).await?;
    let client = &guest.client;
    let percepts =
        json!({ "percepts": { "environment": environment.name, "agent": actor.agent, "since": "acknowledged" } });
    let percepts = client.subscribe(percepts).await?;
    let first = perception_of(&client.notification(percepts).await?["perceptions"], &actor)?;
    let happenings = client.subscribe(json!({ "happenings": { "environment": environment.name } })).await?;
    client.notification(happenings).await?;
    guest.client.drop_connection().await;
    // The greeting must be the first message, whatever happens in the environment.
    let client = stage.connect().await?;
    client.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "hello", "params": guest.resuming() })).await?;
    let greeting = client.frame().await?;
    check_message(&greeting)?;
    ensure_equal("the greeting of a resumed session", &true.into(), &greeting["result"]["resumed"])?;
    let anew = client.notification(happenings).await?;
    ensure_equal("happenings that begin with the current state", &true.into(), &anew["resync"])?;
    let again = perception_of(&client.notification(percepts).await?["perceptions"], &actor)?;
    ensure_equal("since the acknowledged version", &first["since"], &again["since"])
}

async fn takeover(stage: &mut Stage<'_>) -> Checked {
    let (environment, guest, actor) = enter(stage).await?;
    let back = stage.greet_with(guest.resuming()).await?;
    guest.client.closed(Code::TakenOver).await?;
    back.client.get("act", environment.acting(&actor)?).await.map(drop)
}

async fn unknown(stage: &mut Stage<'_>) -> Checked {
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let mut hello = guest.hello.clone();
    hello["resume"] = "nobody has this token".into();
    let client = stage.connect().await?;
    client.refused("hello", hello, Code::SessionEnded).await?;
    client.closed(Code::SessionEnded).await?;
    guest.client.settle().await
}

async fn role(stage: &mut Stage<'_>) -> Checked {
    let (environment, guest, actor) = enter(stage).await?;
    for role in ["agent", "observer"] {
        let mut hello = guest.resuming();
        hello["role"] = role.into();
        let client = stage.connect().await?;
        client.refused("hello", hello, Code::Forbidden).await?;
    }
    // The rejected attempt did not affect the session.
    guest.client.get("act", environment.acting(&actor)?).await.map(drop)
}

/// Whether another session can use the agent's entity and name.
async fn is_free(environment: &Environment, other: &Client, actor: &Actor) -> Checked<bool> {
    let listed = other.get("listEntities", environment.of(json!({}))).await?;
    let agent = Value::from(actor.agent.as_str());
    let has_it = |entity: &Value| list(&entity["agents"]).contains(&agent);
    Ok(!list(&listed["agents"]).contains(&agent) && !list(&listed["entities"]).iter().any(has_it))
}

async fn bye(stage: &mut Stage<'_>) -> Checked {
    let (environment, guest, actor) = enter(stage).await?;
    let other = stage.platform().await?;
    guest.client.get("bye", json!({})).await?;
    ensure(is_free(&environment, &other, &actor).await?, "entity and name are free", "they are not")?;
    guest.client.closed(Code::SessionEnded).await?;
    environment.register(&other, &actor.agent).await?;
    let client = stage.connect().await?;
    client.refused("hello", guest.resuming(), Code::SessionEnded).await.map(drop)
}

async fn grace(stage: &mut Stage<'_>) -> Checked {
    let (environment, guest, actor) = enter(stage).await?;
    let grace = guest.greeting["graceMs"].as_u64().unwrap_or(u64::MAX);
    if grace > SHORT {
        return Err(Stop::skipped(format!("the grace is {grace} ms, which is too long to wait for")));
    }
    let other = stage.platform().await?;
    let lost = Instant::now();
    guest.client.drop_connection().await;
    let end = Duration::from_millis(grace) + stage.plan.patience;
    while lost.elapsed() < end {
        if is_free(&environment, &other, &actor).await? {
            // The time is measured from before the server notices, so a correct server is never early.
            let early = lost.elapsed() < Duration::from_millis(grace);
            ensure(!early, "a grace as long as the greeting says", format!("{:?}", lost.elapsed()))?;
            let client = stage.connect().await?;
            return client.refused("hello", guest.resuming(), Code::SessionEnded).await.map(drop);
        }
        sleep(Duration::from_millis(20)).await;
    }
    Err(Stop::failed("entity and name are free after the grace", "they are not"))
}
