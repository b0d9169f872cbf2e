//! Names that look like others.

use serde_json::{Value, json};

use crate::client::{Client, Resident};
use crate::server::{settings, start};

/// Names that look like `ada`, or make a line or a table look like another one.
const UNCLEAR: [&str; 12] = [
    "ada ",
    " ada",
    "ada\u{a0}",
    "ada\n",
    "ada\u{2028}bob",
    "a\u{0}da",
    "ada\u{1b}[2J",
    "\u{202e}ada",
    "ada\u{200f}",
    "ada\u{200b}",
    "a\u{ad}da",
    "ada\u{e0041}",
];

/// Names in several scripts, with blanks inside.
const CLEAR: [&str; 8] = ["Zoë 1", "O'Neil (left)", "Ада", "علي", "दूत", "小明\u{3000}一", "🤖", "amsterdam"];

fn kind(error: &Value) -> &str {
    error["data"]["kind"].as_str().expect("a kind")
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_and_environments_get_no_names_that_look_like_others() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let mut client = Client::platform(&server).await;
    client.get("createEnvironment", json!({ "kind": "find-goals", "environment": "maze" })).await;
    for name in UNCLEAR {
        for (method, params, expected) in [
            ("register", json!({ "environment": "maze", "agent": name }), "notRegistrable"),
            ("openMailbox", json!({ "agent": name }), "notRegistrable"),
            ("createEnvironment", json!({ "kind": "find-goals", "environment": name }), "environmentName"),
        ] {
            let error = client.call(method, params).await.expect_err(name);
            assert_eq!(kind(&error), expected, "{method} {name:?}: {error}");
            let said = error["message"].as_str().expect("a text");
            assert!(said.contains("cannot have the name `") && said.contains("people can see"), "{said}");
            let is_hidden =
                |c: char| c.is_control() || "\u{202e}\u{200f}\u{200b}\u{2028}\u{ad}\u{a0}\u{e0041}".contains(c);
            assert!(!said.contains(is_hidden), "{said:?}");
        }
    }
    for name in ["AMS", "Df", "aMs", "DF", "AMſ", "ams"] {
        let error = client.call("openMailbox", json!({ "agent": name })).await.expect_err(name);
        assert_eq!(kind(&error), "notRegistrable", "{name}: {error}");
        let said = error["message"].as_str().expect("a text");
        assert!(said.contains("is reserved for a service of the server"), "{said}");
    }
    for (method, params) in [
        ("register", json!({ "environment": "maze", "agent": "ada~maze" })),
        ("openMailbox", json!({ "agent": "ada~" })),
    ] {
        let error = client.call(method, params).await.expect_err("it looks like an address");
        assert_eq!(kind(&error), "notRegistrable", "{error}");
        let said = error["message"].as_str().expect("a text");
        assert!(said.contains("cannot have a name with `~`, which separates the name of an environment"), "{said}");
    }
    for name in CLEAR {
        client.get("register", json!({ "environment": "maze", "agent": name })).await;
        client.get("openMailbox", json!({ "agent": name })).await;
        client.get("createEnvironment", json!({ "kind": "find-goals", "environment": name })).await;
    }
    resident.check().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_give_entities_and_environments_no_names_that_look_like_others() {
    let server = start(settings()).await;
    let mut resident = Resident::new(&server).await;
    let mut host = Client::greet(&server, json!({ "protocol": 2, "role": "host" })).await;
    let ontology = host.get("describeKind", json!({ "kind": "find-goals" })).await["ontology"].clone();
    let entity_type = ontology["entityTypes"][0]["name"].clone();
    let yard = |name: &str| json!({ "ontology": ontology, "environment": name });
    let mut unclear = yard("yard");
    unclear["ontology"]["name"] = json!("yard\u{200b}");
    unclear["environment"].take();
    for announced in [yard("yard\n"), unclear] {
        let error = host.call("host", announced).await.expect_err("it is unclear");
        assert_eq!(kind(&error), "environmentName", "{error}");
    }
    host.get("host", yard("yard")).await;
    let begun = host.notification().await;
    assert_eq!(begun["method"], "init", "{begun}");
    let update = |names: &[&str]| {
        let new: Vec<_> = names.iter().map(|name| json!({ "entity": name, "entityType": entity_type })).collect();
        json!({ "environment": "yard", "update": { "new": new } })
    };
    let answer = |names: &[&str]| {
        let result = json!({ "update": update(names)["update"] });
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": begun["id"], "result": result }))
    };
    // Nothing of an invalid answer counts, and the call is still open.
    host.send(&answer(&["clear", UNCLEAR[0]])).await;
    let refused = host.frame().await.expect("it is connected");
    assert_eq!((kind(&refused["error"]), &refused["id"]), ("invalidHost", &Value::Null), "{refused}");
    host.send(&answer(&CLEAR[1..])).await;
    for name in UNCLEAR {
        let error = host.call("update", update(&["clear", name])).await.expect_err(name);
        assert_eq!(kind(&error), "invalidHost", "{error}");
        let said = error["message"].as_str().expect("a text");
        assert!(said.contains("an entity cannot have the name `") && said.contains("people can see"), "{said}");
    }
    host.get("update", update(&CLEAR[..1])).await;
    let mut client = Client::platform(&server).await;
    let listed = client.get("listEntities", json!({ "environment": "yard" })).await;
    let entities = listed["entities"].as_array().into_iter().flatten();
    let names: Vec<&str> = entities.filter_map(|listed| listed["entity"].as_str()).collect();
    assert_eq!(names, [&CLEAR[1..], &CLEAR[..1]].concat(), "{listed}");

    client.get("register", json!({ "environment": "yard", "agent": "ada" })).await;
    let request = json!({ "environment": "yard", "agent": "ada", "entityType": entity_type, "name": "red\u{200b}" });
    let error = client.call("requestEntity", request).await.expect_err("it is unclear");
    let said = error["message"].as_str().expect("a text");
    assert!(said.contains("an entity cannot have the name `red\\u{200b}`"), "{said}");
    resident.check().await;
}
