//! Lists and descriptions of environments.

use serde_json::json;
use situated_wire::Code;

use crate::server::beliefs::list;
use crate::server::environment::read_ontology;
use crate::server::stage::Stage;
use crate::server::stop::{Checked, ensure, ensure_equal};

group! {
    "describing-list" "listEnvironments" "The list of environments agrees with their descriptions." listing;
    "describing-ontology" "Type Ontology" "An ontology is complete: everything that it refers to is in it." whole;
    "describing-kinds" "describeKind" "Each listed kind can be described." kinds;
    "describing-unknown" "Errors" "An unknown environment is rejected, and the error suggests the most similar name." unknown;
    "describing-actions" "Acting" "Every action can be tried with parameters of its declared types." actions;
    "describing-properties" "query" "A declared property can be queried; another one is an error." properties;
    "describing-scene" "scene" "A scene has a size, and shapes with outlines and colours." scene;
}

async fn listing(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let guest = stage.greet("platform", stage.plan.token.as_deref()).await?;
    let client = &guest.client;
    let listed = client.get("listEnvironments", json!({})).await?;
    let environments = list(&listed["environments"]);
    let names: Vec<&str> = environments.iter().filter_map(|status| status["environment"].as_str()).collect();
    ensure(names.is_sorted(), "environments by name", json!(names))?;
    let found = environments.iter().find(|status| status["environment"] == environment.name.as_str());
    let found = found.cloned().unwrap_or_default();
    let described = client.get("describe", environment.of(json!({}))).await?;
    for status in [environment.status(client).await?, described["status"].clone()] {
        for same in ["environment", "kind", "state", "pace", "hosted", "entities"] {
            ensure_equal(same, &found[same], &status[same])?;
        }
    }
    ensure_equal("its kind", &described["ontology"]["name"], &found["kind"])?;
    let is_shown = described["parameters"].is_object();
    ensure(is_shown == guest.may("observe"), "the parameters of the episode for observers", &described["parameters"])
}

async fn whole(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let client = stage.platform().await?;
    for entity in environment.entities(&client).await? {
        let of = entity["entityType"].as_str().unwrap_or_default();
        let declared = environment.ontology.find_entity_type(of).is_some();
        ensure(declared, "the type of every entity is declared", entity)?;
    }
    Ok(())
}

async fn kinds(stage: &mut Stage<'_>) -> Checked {
    let client = stage.platform().await?;
    let listed = client.get("listEnvironments", json!({})).await?;
    for kind in list(&listed["kinds"]) {
        let described = client.get("describeKind", json!({ "kind": kind["kind"] })).await?;
        ensure_equal("its name", &kind["kind"], &described["ontology"]["name"])?;
        read_ontology(&described["ontology"])?;
    }
    client.refused("describeKind", json!({ "kind": "there is no such kind" }), Code::NoSuchKind).await.map(drop)
}

async fn unknown(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let client = stage.platform().await?;
    let near = format!("{}x", environment.name);
    let error = client.refused("status", json!({ "environment": near }), Code::NoSuchEnvironment).await?;
    let message = error["message"].as_str().unwrap_or_default();
    ensure(
        message.contains(&format!("`{}`", environment.name)),
        format!("the nearest name, `{}`", environment.name),
        message,
    )
}

async fn actions(stage: &mut Stage<'_>) -> Checked {
    let (environment, client, actor) = stage.enter().await?;
    for action in environment.actions(&actor)? {
        let acting = environment.of(json!({ "agent": actor.agent, "action": action }));
        let acted = client.get("act", acting).await?;
        for result in list(&acted["results"]) {
            let kind = result["error"]["data"]["kind"].as_str().unwrap_or_default();
            let unheard_of = ["notSupportedByEnvironment", "notSupportedByType"].contains(&kind);
            ensure(!unheard_of, format!("{action} can be tried"), &result)?;
        }
    }
    Ok(())
}

async fn properties(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let client = stage.platform().await?;
    let name = client.get("query", environment.of(json!({ "property": "name" }))).await?;
    ensure(name["value"].is_string(), "the `name` of an environment", &name)?;
    for entity in environment.entities(&client).await? {
        let ask = environment.of(json!({ "entity": entity["entity"], "property": "type" }));
        let found = client.get("query", ask).await?;
        ensure_equal("the `type` of an entity", &entity["entityType"], &found["value"])?;
    }
    let ask = environment.of(json!({ "entity": "there is no such entity", "property": "type" }));
    client.refused("query", ask, Code::WrongEntity).await?;
    let observer = stage.observer().await?;
    let ontology = &environment.ontology;
    for property in &ontology.properties {
        observer.get("query", environment.of(json!({ "property": property.name }))).await?;
    }
    // The host of an open environment need not declare any.
    if ontology.open && ontology.properties.is_empty() && ontology.entity_properties.is_empty() {
        return Ok(());
    }
    let ask = environment.of(json!({ "property": "there is no such property" }));
    observer.refused("query", ask, Code::NoSuchProperty).await.map(drop)
}

async fn scene(stage: &mut Stage<'_>) -> Checked {
    let environment = stage.environment().await?;
    let client = stage.observer().await?;
    let picture = client.get("scene", environment.of(json!({}))).await?;
    let scene = &picture["scene"];
    ensure(scene["width"].is_number() && scene["height"].is_number(), "`width` and `height`", scene)?;
    ensure(scene["shapes"].is_array(), "`shapes`", scene)?;
    for shape in list(&scene["shapes"]) {
        let colored = shape["color"].as_array().is_some_and(|parts| parts.len() == 3);
        ensure(colored && shape["outline"].is_object(), "a shape has an outline and a colour", shape)?;
    }
    let ask = environment.of(json!({ "viewer": "there is no such entity" }));
    client.refused("scene", ask, Code::WrongEntity).await.map(drop)
}
