//! Language models as programs of a team. The model is a server of the same kind that answers by a script.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Map, Value, json};

use crate::{Finished, SITUATED, fresh_directory, printed};

/// An answer of the endpoint.
enum Reply {
    /// A chat completion whose message has these tool calls: names with arguments.
    Calls(Vec<(&'static str, String)>),
    /// A chat completion that only talks.
    Talk(String),
    /// A status with headers and a body.
    Status(u16, &'static str, String),
    /// The connection ends without an answer.
    HangUp,
    /// Nothing, over a connection that does not end.
    Silence,
}

/// A server of the OpenAI kind, and the requests that it got.
struct Endpoint {
    address: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Endpoint {
    /// Starts a server that gives these replies, and then says `wait` for ever.
    fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}/v1/", listener.local_addr().expect("it listens"));
        let requests: Arc<Mutex<Vec<Value>>> = Arc::default();
        let seen = requests.clone();
        thread::spawn(move || {
            let (mut replies, mut silent) = (replies.into_iter(), Vec::new());
            for connection in listener.incoming() {
                let mut connection = connection.expect("a client");
                let Some(request) = read_request(&connection) else { continue };
                seen.lock().expect("no panic").push(request);
                let wait = || Reply::Calls(vec![("wait", "{}".into())]);
                match replies.next().unwrap_or_else(wait) {
                    Reply::Silence => silent.push(connection),
                    reply => answer(&mut connection, reply),
                }
            }
        });
        Self { address, requests }
    }

    fn requests(&self) -> Vec<Value> {
        self.requests.lock().expect("no panic").clone()
    }

    /// Runs Find the Goals with this model.
    fn run(&self, keys: &str, options: &str) -> Finished {
        let (mut command, file) = (Command::new(SITUATED), self.team(keys));
        command.arg("run").arg(&file).args(options.split_whitespace()).env_remove("OPENAI_API_KEY");
        Finished::from(command.env("SECRET", "a-secret-key").output().expect("the binary can be started"))
    }

    /// Returns a team file in which this model plays red and nobody blue, with further keys of the model.
    fn team(&self, keys: &str) -> PathBuf {
        let folder = fresh_directory(&thread::current().name().expect("the name of the test").replace("::", "-"));
        let file = folder.join("team.toml");
        let text = format!(
            "environment = 'find-goals'\nseed = 7\n[[agents]]\nentity = 'red'\nprogram = 'model'\n\
             [agents.model]\nbase_url = '{}'\nname = 'scripted'\n{keys}",
            self.address
        );
        fs::write(&file, text).expect("there is room");
        fs::write(folder.join("task.md"), "Reach the goal in the east.").expect("there is room");
        file
    }
}

fn read_request(connection: &TcpStream) -> Option<Value> {
    let mut reader = BufReader::new(connection);
    let (mut line, mut length, mut head) = (String::new(), 0, json!({}));
    while reader.read_line(&mut line).ok()? > 2 {
        if let Some((name, value)) = line.trim().split_once(": ") {
            head[name.to_lowercase()] = json!(value);
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().ok()?;
            }
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut request: Value = serde_json::from_slice(&body).ok()?;
    request["head"] = head;
    Some(request)
}

fn answer(connection: &mut TcpStream, reply: Reply) {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 10 });
    let completion = |message: Value| json!({ "choices": [{ "message": message }], "usage": usage.clone() });
    let (status, headers, body) = match reply {
        Reply::HangUp | Reply::Silence => return,
        Reply::Status(status, headers, body) => (status, headers, body),
        Reply::Talk(text) => (200, "", completion(json!({ "role": "assistant", "content": text })).to_string()),
        Reply::Calls(calls) => {
            let call = |(number, (name, arguments)): (usize, (&str, String))| {
                json!({ "id": format!("call{number}"), "type": "function",
                        "function": { "name": name, "arguments": arguments } })
            };
            let calls: Vec<Value> = calls.into_iter().enumerate().map(call).collect();
            (200, "", completion(json!({ "role": "assistant", "content": null, "tool_calls": calls })).to_string())
        }
    };
    let length = body.len();
    let text = format!("HTTP/1.1 {status} X\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
    // A client that has given up is part of some tests.
    let _ = connection.write_all(text.as_bytes());
}

fn calls(names: &[&'static str]) -> Reply {
    Reply::Calls(names.iter().map(|name| (*name, "{}".to_owned())).collect())
}

/// Returns the value of a result of red.
fn result(printed: &Value, name: &str) -> Value {
    let results = printed["outcome"]["results"].as_array().expect("there are results");
    let found = results.iter().find(|result| result["of"] == "red" && result["name"] == name);
    found.unwrap_or_else(|| panic!("no `{name}` in {results:?}"))["value"].clone()
}

#[test]
fn a_model_plays_to_a_goal_and_the_recording_tells_how() {
    let way = ["up", "right", "right", "right", "right", "right"];
    let endpoint = Endpoint::start(way.iter().map(|step| calls(&[step])).collect());
    let record = fresh_directory("model-record").join("run.mcap");
    let options = format!("--steps 8 --quiet --record {}", record.display());
    let ran = endpoint.run("temperature = 0.5\nprompt = 'task.md'\nkey = 'SECRET'", &options);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let run: Value = serde_json::from_str(&ran.out).expect("it prints JSON");
    assert_eq!(run["agents"]["red"], "model scripted");
    assert_eq!(result(&run, "goals"), 1);
    assert_eq!(result(&run, "wrong tool calls"), 0);
    assert_eq!(result(&run, "budget used up"), false);
    let made = result(&run, "model calls").as_i64().expect("a number");
    assert!((7..=9).contains(&made), "{made} calls for 8 steps");
    assert_eq!(result(&run, "prompt tokens"), 100 * made);

    let requests = endpoint.requests();
    let first = &requests[0];
    assert_eq!((&first["model"], &first["temperature"]), (&json!("scripted"), &json!(0.5)));
    assert_eq!(first["head"]["authorization"], "Bearer a-secret-key");
    let system = first["messages"][0]["content"].as_str().expect("a text");
    assert!(system.starts_with("Reach the goal in the east.") && system.contains("two alcoves"), "{system}");
    let tools = first["tools"].as_array().expect("a list").iter().map(|tool| &tool["function"]["name"]);
    assert_eq!(tools.collect::<Vec<_>>(), ["look", "wait_until", "send_mail", "up", "down", "left", "right", "wait"]);
    let told = requests[1]["messages"].as_array().and_then(|all| all.last()).expect("a message");
    assert_eq!((&told["role"], &told["tool_call_id"]), (&json!("tool"), &json!("call0")));
    assert!(told["content"].as_str().is_some_and(|text| text.starts_with("Done. Step 1.")), "{told}");

    // A replay needs no model.
    assert!(printed(&format!("replay {}", record.display())).ends_with("All agree.\n"));
    let exported = printed(&format!("export {} --format jsonl", record.display()));
    let lines = exported.lines().map(|line| serde_json::from_str::<Value>(line).expect("it is JSON"));
    let remarks: Vec<Value> = lines.filter(|line| line["channel"] == "/remarks").collect();
    assert_eq!(remarks[0]["agent"], "model-red");
    let [thought, call, next] = [0, 1, 2].map(|number| &remarks[number]["remark"]);
    assert_eq!(thought["answered"]["tool_calls"][0]["function"]["name"], "up");
    assert_eq!(thought["received"][1]["role"], "user");
    assert_eq!((&call["called"], &call["isWrong"], &call["soFar"]["calls"]), (&json!("up"), &json!(false), &json!(1)));
    assert_eq!(call["told"], told["content"]);
    assert_eq!((&remarks[2]["step"], &next["promptTokens"]), (&json!(1), &json!(100)));
    assert_eq!((&next["received"], &next["soFar"]["requests"]), (&json!([]), &json!(2)));
    assert!(!exported.contains("a-secret-key"));
}

#[test]
fn bad_answers_do_not_end_a_run() {
    let endpoint = Endpoint::start(vec![
        Reply::HangUp,
        Reply::Status(429, "retry-after: 0\r\n", "slow down".into()),
        Reply::Status(500, "", "broken".into()),
        Reply::Status(200, "", "{}".into()),
        Reply::Talk("I think that I shall go up. ".repeat(20_000)),
        calls(&["fly"]),
        Reply::Calls(vec![("up", "{".into())]),
        Reply::Calls(vec![("up", "[1]".into()), ("up", r#"{ "height": 3 }"#.into())]),
        Reply::Calls(vec![("up", String::new())]),
        calls(&["right", "right", "right", "right", "right"]),
    ]);
    let ran = endpoint.run("memory = 2", "--steps 6 --quiet");
    assert_eq!(ran.code, 0);
    let failed = format!("warning: model `scripted` of entity `red`: {}chat/completions gave no", endpoint.address);
    let reported: Vec<&str> = ran.err.lines().collect();
    assert!(reported.iter().all(|line| line.starts_with(&failed)), "{}", ran.err);
    for (line, (why, left)) in reported.iter().zip([
        ("", "5 tries left"),
        ("it answered 429: slow down", "4 tries left"),
        ("it answered 500: broken", "3 tries left"),
        ("the key `choices` is missing", "2 tries left"),
    ]) {
        assert!(line.contains(why) && line.ends_with(left), "{line}");
    }
    assert_eq!(reported.len(), 4, "{}", ran.err);
    let run: Value = serde_json::from_str(&ran.out).expect("it prints JSON");
    assert_eq!(result(&run, "goals"), 1);
    assert_eq!(result(&run, "wrong tool calls"), 4);
    let requests = endpoint.requests();
    let last = |number: usize| requests[number]["messages"].as_array().and_then(|all| all.last()).cloned();
    let text = |number| last(number).expect("a message")["content"].as_str().expect("a text").to_owned();
    assert_eq!(text(5), "Nothing has happened, because you called no tool. Call one of your tools.");
    assert!(text(6).starts_with("there is no tool `fly`"), "{}", text(6));
    assert!(text(7).starts_with("not done: the arguments are no JSON object"), "{}", text(7));
    assert!(text(8).contains("this tool stands for up"), "{}", text(8));
    for request in &requests {
        let messages = request["messages"].as_array().expect("a conversation");
        for made in messages.iter().filter_map(|message| message["tool_calls"].as_array()).flatten() {
            let arguments = made["function"]["arguments"].as_str().expect("a text");
            assert!(serde_json::from_str::<Map<String, Value>>(arguments).is_ok(), "endpoints refuse {arguments:?}");
        }
    }
    let longest = requests.iter().map(|request| request.to_string().len()).max().expect("there are requests");
    assert!(longest < 30_000, "a model that talks without end makes requests of {longest} bytes");
}

#[test]
fn a_model_that_only_talks_holds_nobody_up() {
    let endpoint = Endpoint::start((0..60).map(|_| Reply::Talk("Let me think.".into())).collect());
    let ran = endpoint.run("", "--steps 3 --quiet");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let run: Value = serde_json::from_str(&ran.out).expect("it prints JSON");
    assert_eq!(run["steps"], 3);
}

#[test]
fn a_model_stops_when_its_budget_is_spent() {
    for (budget, calls) in [("calls = 3", 3), ("tokens = 500", 5)] {
        let endpoint = Endpoint::start(Vec::new());
        let ran = endpoint.run(budget, "--steps 100 --quiet");
        assert_eq!((ran.code, ran.err.as_str()), (0, "The run ended because no agent acts any more.\n"), "{budget}");
        let run: Value = serde_json::from_str(&ran.out).expect("it prints JSON");
        assert_eq!(result(&run, "model calls"), calls, "{budget}");
        assert_eq!(result(&run, "budget used up"), true, "{budget}");
        assert_eq!(endpoint.requests().len() as i64, calls, "{budget}");
    }
}

#[test]
fn a_model_that_cannot_be_asked_ends_the_run_with_its_reason() {
    let endpoint = Endpoint::start(vec![Reply::Status(401, "", "who are you? not a-secret-key".into())]);
    let ran = endpoint.run("key = 'SECRET'", "--steps 3 --quiet");
    assert_eq!(ran.code, 1);
    let expected = "model `scripted` of entity `red`: ";
    assert!(
        ran.err.contains(expected) && ran.err.contains("answered 401: who are you? not •••; put a valid key"),
        "{}",
        ran.err
    );
    let uncounted = json!({ "choices": [{ "message": { "role": "assistant", "content": "Up." } }] });
    let endpoint = Endpoint::start(vec![Reply::Status(200, "", uncounted.to_string())]);
    let ran = endpoint.run("tokens = 500", "--steps 3 --quiet");
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("does not tell its tokens (`usage`)"), "{}", ran.err);
    let endpoint = Endpoint::start(vec![Reply::Status(200, "", "<!doctype html><title>Welcome</title>".into())]);
    let ran = endpoint.run("", "--steps 3 --quiet");
    assert_eq!((ran.code, endpoint.requests().len()), (1, 1), "another request would get the same page");
    assert!(ran.err.contains("answered with HTML instead of JSON") && ran.err.contains("`base_url`"), "{}", ran.err);
    let ran = endpoint.run("key = 'NO_SUCH_VARIABLE'", "--quiet");
    assert!(ran.err.contains("needs its key in the variable NO_SUCH_VARIABLE"), "{}", ran.err);
}

#[test]
fn an_endpoint_that_is_down_is_reported_before_the_last_try() {
    let address = TcpListener::bind("127.0.0.1:0").expect("a free port").local_addr().expect("it listens");
    let endpoint = Endpoint { address: format!("http://{address}/v1/"), requests: Arc::default() };
    let ran = endpoint.run("", "--steps 3 --quiet");
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.err.lines().collect();
    let left = ["5 tries left", "4 tries left", "3 tries left", "2 tries left", "1 try left"];
    assert!(lines.iter().zip(left).all(|(line, left)| line.ends_with(left)), "{}", ran.err);
    assert!(
        lines.len() > left.len() && lines[left.len()].contains("gave no usable answer to 6 requests"),
        "{}",
        ran.err
    );
}

#[test]
fn a_run_that_is_over_waits_for_no_model() {
    let endpoint = Endpoint::start(vec![Reply::Silence]);
    let file = endpoint.team("timeout = 3600");
    let team = fs::read_to_string(&file).expect("it was written");
    fs::write(&file, format!("pace = {{ real-time = 100 }}\n{team}")).expect("there is room");
    let run: Value =
        serde_json::from_str(&printed(&format!("run {} --steps 5 --quiet", file.display()))).expect("it prints JSON");
    assert_eq!(run["steps"], 5);
    assert_eq!(endpoint.requests().len(), 1, "the model was asked");
}

#[cfg(unix)]
#[test]
fn a_model_plays_on_a_server_beside_others() {
    let way = ["up", "right", "right", "right", "right", "right"];
    let endpoint = Endpoint::start(way.iter().map(|step| calls(&[step])).collect());
    let file = endpoint.team("");
    let server = crate::serve::Serving::start(&format!("{} --speed max", file.display()));
    let mut observer = crate::run_page::Manager::connect(&server.address);
    let listed = observer.call("listEntities", &json!({ "environment": "find-goals" }));
    assert_eq!(listed["result"]["entities"][0]["agents"], json!(["model-red"]), "{listed}");
    let goals = |observer: &mut crate::run_page::Manager| {
        let outcome = observer.call("outcome", &json!({ "environment": "find-goals" }));
        let results = outcome["result"]["outcome"]["results"].as_array().expect("there are results").clone();
        results.into_iter().find(|one| one["of"] == "red" && one["name"] == "goals").expect("red has goals")["value"]
            .clone()
    };
    while goals(&mut observer) != 1 {
        assert!(endpoint.requests().len() < 20, "red does not reach its goal");
        thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn a_model_is_asked_nothing_while_time_is_paused() {
    let endpoint = Endpoint::start(Vec::new());
    let file = endpoint.team("calls = 1000");
    let server = crate::serve::Serving::start(&format!("{} --speed max --paused", file.display()));
    let mut manager = crate::run_page::Manager::connect(&server.address);
    let mut manage = |command: &str| {
        let managed = manager.call("manage", &json!({ "environment": "find-goals", "command": command }));
        assert_eq!(managed["error"], Value::Null, "{managed}");
    };
    let pause = std::time::Duration::from_millis(700);
    thread::sleep(pause);
    assert_eq!(endpoint.requests().len(), 0, "it cannot act yet");
    manage("start");
    while endpoint.requests().len() < 3 {
        thread::sleep(std::time::Duration::from_millis(20));
    }
    manage("pause");
    // The answer to a request that is on its way is still taken.
    thread::sleep(pause);
    let asked = endpoint.requests().len();
    thread::sleep(pause);
    assert_eq!(endpoint.requests().len(), asked, "it cannot act while time is paused");
}

#[test]
fn the_example_lets_a_model_and_a_program_deliver_blocks() {
    let room = json!({ "place": "RoomA1" }).to_string();
    let there = json!({ "percept": "in(RoomA1)", "seconds": 30 }).to_string();
    let endpoint = Endpoint::start(vec![
        Reply::Calls(vec![("goTo", room)]),
        Reply::Calls(vec![("wait_until", there)]),
        calls(&["look"]),
    ]);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/model");
    let folder = fresh_directory("model-example");
    fs::copy(example.join("task.md"), folder.join("task.md")).expect("there is room");
    let team = fs::read_to_string(example.join("team.toml")).expect("it is text");
    let team = team.replace("http://127.0.0.1:11434/v1", &endpoint.address).replace("calls = 200", "calls = 4");
    fs::write(folder.join("team.toml"), team).expect("there is room");
    let ran = printed(&format!("run {} --quiet", folder.join("team.toml").display()));
    let run: Value = serde_json::from_str(&ran).expect("it prints JSON");
    let results = run["outcome"]["results"].as_array().expect("there are results");
    let value = |of: &str, name: &str| {
        let found = results.iter().find(|one| one["of"] == of && one["name"] == name);
        found.unwrap_or_else(|| panic!("no `{name}` of {of} in {results:?}"))["value"].clone()
    };
    assert_eq!(value("team", "completed"), true);
    assert!(value("Bot_1", "rooms entered").as_u64().is_some_and(|rooms| rooms >= 1), "{results:?}");
    assert_eq!(value("Bot_1", "model calls"), 4);
    let requests = endpoint.requests();
    let seen = requests[3]["messages"].as_array().and_then(|all| all.last()).expect("what it looked at");
    assert!(seen["content"].as_str().is_some_and(|text| text.contains("You are in RoomA1.")), "{seen}");
}

#[test]
fn repeated_runs_compare_what_models_cost() {
    let endpoint = Endpoint::start(Vec::new());
    let ran = endpoint.run("", "--steps 4 --repeat 2 --jobs 1 --format json");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let table: Value = serde_json::from_str(&ran.out).expect("it prints JSON");
    assert_eq!(table["pace"], "lockstep");
    for run in table["runs"].as_array().expect("there are runs") {
        let cost = run["results"].as_array().expect("results").iter().find(|one| one["name"] == "completion tokens");
        assert!(cost.expect("it is measured")["value"].as_i64().is_some_and(|tokens| tokens >= 40), "{run}");
    }
}

#[test]
fn models_are_compared_with_programs_and_chance() {
    let write = json!({ "to": ["ada"], "text": "Hello" }).to_string();
    let endpoint = Endpoint::start(vec![
        Reply::Calls(vec![("send_mail", write.clone())]),
        Reply::Calls(vec![("goTo", json!({ "place": "RoomA1" }).to_string())]),
        // The other condition: this model cannot talk.
        calls(&["look"]),
        Reply::Calls(vec![("send_mail", write)]),
    ]);
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let folder = fresh_directory("compared-models");
    fs::create_dir(folder.join("comparison")).expect("there is room");
    fs::create_dir(folder.join("model")).expect("there is room");
    fs::copy(examples.join("model/task.md"), folder.join("model/task.md")).expect("there is room");
    let team = fs::read_to_string(examples.join("comparison/agents.toml")).expect("it is text");
    let team = team.replace("http://127.0.0.1:11434/v1", &endpoint.address).replace("calls = 200", "calls = 2");
    let (others, model) = team.split_at(team.find("# Copy this condition").expect("it says so"));
    let silent = model.replace("\"qwen3\"", "\"silent\"") + "without = [\"send_mail\"]\n";
    let team = format!("{others}{model}{silent}");
    let team = team.replace("robots = 2", "robots = 1");
    let file = folder.join("comparison/team.toml");
    fs::write(&file, &team).expect("there is room");
    let run = format!("run {} --repeat 1 --jobs 1 --steps 30", file.display());
    let table: Value = serde_json::from_str(&printed(&format!("{run} --format json"))).expect("it prints JSON");
    let conditions = table["conditions"].as_array().expect("a list");
    let names: Vec<&str> = conditions.iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!(names, ["random", "explorer", "team", "qwen3", "silent"]);
    let mean = |condition: usize, name: &str| {
        let all = conditions[condition]["measures"].as_array().expect("a list");
        all.iter().find(|one| one["of"] == "Bot_1" && one["name"] == name).map(|one| one["mean"].clone())
    };
    assert_eq!((mean(0, "model calls"), mean(3, "model calls")), (None, Some(json!(2.0))));
    assert_eq!((mean(3, "prompt tokens"), mean(3, "wrong tool calls")), (Some(json!(200.0)), Some(json!(0.0))));
    assert_eq!(
        (mean(3, "messages of the model"), mean(4, "messages of the model")),
        (Some(json!(1.0)), Some(json!(0.0)))
    );
    assert_eq!(mean(4, "wrong tool calls"), Some(json!(1.0)));
    let offered = |number: usize| endpoint.requests()[number]["tools"].to_string().contains("send_mail");
    assert!(offered(0) && offered(1) && !offered(2) && !offered(3));

    fs::write(&file, team.replace("without = [\"send_mail\"]", "without = [\"talk\"]")).expect("there is room");
    let refused = crate::situated(&run);
    assert!(
        refused.err.contains("without the tool `talk`, which does not exist; the tools are look,"),
        "{}",
        refused.err
    );
}
