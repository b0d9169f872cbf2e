//! Agents, and their relation to entities.

use serde_json::{Value, json};
use situated_wire::Code;

use crate::server::beliefs::list;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, Stop, ensure, ensure_equal};

group! {
    "registering-agents" "register" "Registered agents are listed until they are unregistered." agents;
    "registering-unique" "register" "The name of an agent is unique in its environment, and free again after the agent is unregistered." unique;
    "registering-names" "Values" "A name has 1 to 256 bytes." names;
    "registering-one" "Type Limits" "In the role of an agent, a session has one agent." one;
    "relation-associate" "associate" "An entity is listed with its agent, until it is freed." associate;
    "relation-wrong" "associate" "Unknown agents and entities cannot be associated." wrong;
    "relation-restriction" "Type Restriction" "The server enforces the restrictions that an environment declares." restriction;
    "relation-foreign" "Type Right" "A client cannot associate or free agents of other sessions." foreign;
    "relation-request" "requestEntity" "A request for an entity returns one of that type, or is rejected and changes nothing." request;
}

async fn agents(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, name) = (stage.platform().await?, stage.name());
    let agent = || environment.of(json!({ "agent": name }));
    let registered = async |expected: bool| {
        let listed = client.get("listEntities", environment.of(json!({}))).await?;
        let is_listed = list(&listed["agents"]).contains(&name.as_str().into());
        ensure(is_listed == expected, format!("whether `{name}` is listed: {expected}"), &listed["agents"])
    };
    environment.register(&client, &name).await?;
    registered(true).await?;
    client.refused("register", agent(), Code::NotRegistrable).await?;
    registered(true).await?;
    client.get("unregister", agent()).await?;
    registered(false).await?;
    client.refused("unregister", agent(), Code::NotRegistered).await.map(drop)
}

async fn unique(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (one, other, name) = (stage.platform().await?, stage.platform().await?, stage.name());
    let agent = || environment.of(json!({ "agent": name }));
    environment.register(&one, &name).await?;
    other.refused("register", agent(), Code::AgentTaken).await?;
    one.get("unregister", agent()).await?;
    environment.register(&other, &name).await?;
    one.refused("register", agent(), Code::AgentTaken).await.map(drop)
}

async fn names(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, name) = (stage.platform().await?, stage.name());
    for wrong in [String::new(), "x".repeat(257)] {
        let answered = client.call("register", environment.of(json!({ "agent": wrong }))).await?;
        ensure(answered.is_err(), format!("a name of {} bytes is refused", wrong.len()), json!(answered.ok()))?;
    }
    let longest = format!("{name}{}", "x".repeat(256 - name.len()));
    environment.register(&client, &longest).await
}

async fn one(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let guest = stage.greet("agent", stage.plan.token.as_deref()).await?;
    let (first, second) = (stage.name(), stage.name());
    environment.register(&guest.client, &first).await?;
    guest.client.refused("register", environment.of(json!({ "agent": second })), Code::Limit).await?;
    // A rejected request reserves no name.
    let other = stage.platform().await?;
    environment.register(&other, &second).await
}

async fn associate(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    let agents = async || Ok::<Value, Stop>(environment.entity(&client, &actor.entity).await?["agents"].clone());
    let has_it = async |expected: bool| {
        let agents = agents().await?;
        let has = list(&agents).contains(&actor.agent.as_str().into());
        ensure(has == expected, format!("whether `{}` has `{}`: {expected}", actor.agent, actor.entity), agents)
    };
    has_it(true).await?;
    let pair = environment.of(json!({ "agent": actor.agent, "entity": actor.entity }));
    client.get("free", pair.clone()).await?;
    if environment.entity(&client, &actor.entity).await.is_err() {
        return Err(Stop::skipped("it deletes entities that are free"));
    }
    has_it(false).await?;
    let again = client.call("free", pair.clone()).await?;
    ensure(again.is_err(), "an entity that is already free cannot be freed", json!(again.ok()))?;
    client.get("associate", pair).await?;
    client.get("free", environment.of(json!({ "agent": actor.agent }))).await?;
    has_it(false).await
}

async fn wrong(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, name) = (stage.platform().await?, stage.name());
    environment.register(&client, &name).await?;
    let ask = environment.of(json!({ "agent": name, "entity": "there is no such entity" }));
    client.refused("associate", ask, Code::WrongEntity).await?;
    let nobody = stage.name();
    let Some(entity) = environment.entities(&client).await?.into_iter().next() else { return Ok(()) };
    let ask = environment.of(json!({ "agent": nobody, "entity": entity["entity"] }));
    client.refused("associate", ask, Code::NotRegistered).await?;
    client.refused("free", environment.of(json!({ "agent": nobody })), Code::NotRegistered).await.map(drop)
}

async fn restriction(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, first, second) = (stage.platform().await?, stage.name(), stage.name());
    let actor = environment.enter(&client, &first).await?;
    environment.register(&client, &second).await?;
    let ask = environment.of(json!({ "agent": second, "entity": actor.entity }));
    let answered = client.call("associate", ask).await?;
    let alone = environment.ontology.relation.one_agent_per_entity;
    match answered {
        Ok(_) => ensure(!alone, "an entity has at most one agent", "two"),
        Err(error) => ensure(alone && error["data"]["kind"] == "relation", "two agents with one entity", error),
    }?;
    let expected = if alone { json!([first]) } else { json!([first, second]) };
    let entity = environment.entity(&client, &actor.entity).await?;
    ensure_equal("the agents of the entity", &expected, &entity["agents"])
}

async fn foreign(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (owner, name) = (stage.platform().await?, stage.name());
    let actor = environment.enter(&owner, &name).await?;
    let stranger = stage.stranger().await?;
    let pair = || environment.of(json!({ "agent": name, "entity": actor.entity }));
    for (method, params) in [
        ("associate", pair()),
        ("free", pair()),
        ("free", environment.of(json!({ "entity": actor.entity }))),
        ("unregister", environment.of(json!({ "agent": name }))),
    ] {
        stranger.refused(method, params, Code::Forbidden).await?;
    }
    let entity = environment.entity(&owner, &actor.entity).await?;
    ensure_equal("the agents of the entity", &json!([name]), &entity["agents"])
}

async fn request(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let (client, name) = (stage.platform().await?, stage.name());
    environment.register(&client, &name).await?;
    let before = environment.entities(&client).await?;
    let ask = environment.of(json!({ "agent": name, "entityType": "there is no such type" }));
    let answered = client.call("requestEntity", ask).await?;
    ensure(answered.is_err(), "an unknown type is rejected", json!(answered.ok()))?;
    let entity_type = &json!(environment.ontology.entity_types[0].name);
    let ask = environment.of(json!({ "agent": name, "entityType": entity_type }));
    match client.call("requestEntity", ask).await? {
        Err(_) => ensure_equal("the entities", &json!(before), &json!(environment.entities(&client).await?)),
        Ok(given) => {
            let entity = environment.entity(&client, given["entity"].as_str().unwrap_or_default()).await?;
            ensure_equal("its type", entity_type, &entity["entityType"])?;
            ensure_equal("its agents", &json!([name]), &entity["agents"])
        }
    }
}
