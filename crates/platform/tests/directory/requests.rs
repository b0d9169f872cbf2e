//! Requests to the AMS and the DF, and their answers.

use situated_acl::{Message, Performative};
use situated_platform::directory::{Agent, Answer, Directory, DirectoryChange, Heard, LifeCycle};
use situated_platform::names::{AMS, DF};

const DESCRIPTION: &str = "(df-agent-description :name (agent-identifier :name ada)
    :services (set (service-description :name plums :type trade)))";

/// Ada, and Bob, whose client is away.
fn agents() -> [Agent; 2] {
    let [ada, bob] = ["ada", "bob"].map(Into::into);
    [Agent { name: ada, state: LifeCycle::Active }, Agent { name: bob, state: LifeCycle::Suspended }]
}

/// The answer to a message, and the messages to others.
fn hear(directory: &mut Directory, to: &'static str, message: &Message<'_>, now: u64) -> (Message<'static>, Heard) {
    let heard = directory.hear(to, message, message.sender_name().unwrap_or_default(), &agents(), now);
    let Answer::Given(answer) = &heard.answer else { panic!("{heard:?}") };
    (Message::clone(answer), heard)
}

fn text(message: &Message<'_>) -> String {
    message.content.as_ref().and_then(|content| content.as_text()).unwrap_or_default().to_owned()
}

/// The act and the content of the answer to a request. The content has one blank between its parts.
fn ask(directory: &mut Directory, sender: &str, to: &'static str, function: &str) -> (Performative, String) {
    let content = format!("((action (agent-identifier :name {to}) {function}))");
    let request = Message::request().from(sender.to_owned()).to(to).content(content).reply_with("r1");
    let (answer, _) = hear(directory, to, &request.language("fipa-sl0").ontology("FIPA-Agent-Management"), 1000);
    assert_eq!(answer.sender_name(), Some(to));
    assert_eq!(answer.receivers[0].name, sender);
    assert_eq!(answer.in_reply_to, Some("r1".into()));
    (answer.performative, text(&answer))
}

/// The agents that a search for traders finds.
fn traders(directory: &mut Directory) -> usize {
    let search = "(search (df-agent-description :services (set (service-description :type trade)))
        (search-constraints :max-results -1))";
    let (act, content) = ask(directory, "bob", DF, search);
    assert_eq!(act, Performative::Inform);
    assert!(content.starts_with("((result (action (agent-identifier :name df) (search"), "{content}");
    content.matches("plums").count()
}

fn register(directory: &mut Directory, more: &str) -> (Performative, String) {
    let description = DESCRIPTION.replace(":services", &format!("{more} :services"));
    ask(directory, "ada", DF, &format!("(register {description})"))
}

#[test]
fn agents_register_services_and_find_them() {
    let mut directory = Directory::new();
    assert_eq!(traders(&mut directory), 0);
    let (act, content) = register(&mut directory, "");
    assert_eq!(act, Performative::Inform);
    assert!(content.starts_with("((done (action (agent-identifier :name df) (register"), "{content}");
    assert_eq!(traders(&mut directory), 1);

    let (act, content) = register(&mut directory, "");
    assert_eq!(act, Performative::Failure);
    assert!(content.ends_with(") already-registered)"), "{content}");
    let modified = DESCRIPTION.replace("trade", "gift");
    assert_eq!(ask(&mut directory, "ada", DF, &format!("(modify {modified})")).0, Performative::Inform);
    assert_eq!(traders(&mut directory), 0);

    let deregister = format!("(deregister {DESCRIPTION})");
    assert_eq!(ask(&mut directory, "ada", DF, &deregister).0, Performative::Inform);
    let (act, content) = ask(&mut directory, "ada", DF, &deregister);
    assert_eq!(act, Performative::Failure);
    assert!(content.ends_with(") not-registered)"), "{content}");
}

/// A day in milliseconds.
const DAY: u64 = 24 * 60 * 60 * 1000;

/// The directory of a platform.
fn market() -> Directory {
    let mut directory = Directory::new();
    directory.federate("market".into(), [("farm".into(), true), ("mill".into(), false)]);
    directory
}

fn register_as(directory: &mut Directory, name: &str, more: &str) -> (Performative, String) {
    let description = DESCRIPTION.replace(":name ada)", &format!(":name {name}) {more}"));
    ask(directory, name, DF, &format!("(register {description})"))
}

/// Subscribes to traders, and returns the answer.
fn subscribe_as(directory: &mut Directory, name: &str, conversation: &str) -> Performative {
    let template = situated_platform::directory::Service::of_type("trade").into();
    let subscribe = situated_platform::directory::asking::subscribe(conversation, &template).from(name.to_owned());
    hear(directory, DF, &subscribe, 1000).0.performative
}

#[test]
fn entries_and_subscriptions_of_other_platforms_last_for_a_day() {
    let mut directory = market();
    // The answer has the lease that the agent gets, at most a day.
    for (name, more, granted) in [
        ("ada", "", None),
        ("bob@farm", "", Some(":lease-time +00000001T000000000")),
        ("cleo@farm", ":lease-time +00000100T000000000", Some(":lease-time +00000001T000000000")),
        ("dan@farm", ":lease-time 20300101T120000000Z", Some(":lease-time +00000001T000000000")),
        ("eve@farm", ":lease-time +00000000T010000000", Some(":lease-time +00000000T010000000")),
    ] {
        let (act, content) = register_as(&mut directory, name, more);
        assert_eq!(act, Performative::Inform);
        assert!(content.starts_with("((done (action (agent-identifier :name df) (register (df-agent"), "{content}");
        assert_eq!(content.find(":lease-time").map(|at| &content[at..at + 31]), granted, "{content}");
    }
    assert_eq!(subscribe_as(&mut directory, "bob@farm", "c1"), Performative::Agree);
    let mut restored = market();
    match directory.take_changes().pop() {
        Some(DirectoryChange::Subscribed(number, agent, message, until)) => {
            restored.restore_subscription(number, agent, *message, until);
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(restored.next_expiry(), Some(1000 + DAY));

    assert_eq!(directory.expire(1000 + DAY - 1).len(), 1, "an hour is over, of which Bob is told");
    assert_eq!((directory.next_expiry(), traders(&mut directory)), (Some(1000 + DAY), 4));
    let told = directory.expire(1000 + DAY);
    let [ended] = &told[..] else { panic!("{told:?}") };
    assert_eq!((ended.performative, &*ended.receivers[0].name), (Performative::Failure, "bob@farm"));
    assert_eq!((ended.sender_name(), &ended.conversation_id), (Some(DF), &Some("c1".into())));
    assert_eq!((directory.next_expiry(), traders(&mut directory)), (None, 1));
}

#[test]
fn agents_of_other_platforms_leave_room_for_those_of_this_one() {
    let mut directory = market();
    for number in 0..1000 {
        assert_eq!(register_as(&mut directory, &format!("bob{number}@farm"), "").0, Performative::Inform);
    }
    let (act, content) = register_as(&mut directory, "zoe@farm", "");
    assert!(act == Performative::Failure && content.contains("internal-error"), "{content}");
    assert_eq!(register_as(&mut directory, "ada", "").0, Performative::Inform);
    let mut directory = market();
    for number in 0..500 {
        assert_eq!(subscribe_as(&mut directory, &format!("bob{number}@farm"), "c1"), Performative::Agree);
    }
    assert_eq!(subscribe_as(&mut directory, "zoe@farm", "c1"), Performative::Failure);
    assert_eq!(subscribe_as(&mut directory, "bob7@farm", "c1"), Performative::Agree, "it replaces the former one");
    assert_eq!(subscribe_as(&mut directory, "ada", "c1"), Performative::Agree);
}

#[test]
fn agents_of_platforms_that_may_not_register_can_only_search_and_subscribe() {
    let mut directory = market();
    assert_eq!(register_as(&mut directory, "ada", "").0, Performative::Inform);
    // One of a platform that may register, but not in the name of that.
    for name in ["eve@mill", "eve@elsewhere", "eve@farm@mill"] {
        for function in ["register", "modify", "deregister"] {
            let description = DESCRIPTION.replace(":name ada)", &format!(":name {name})"));
            let (act, content) = ask(&mut directory, name, DF, &format!("({function} {description})"));
            assert_eq!(act, Performative::Refuse, "{content}");
            assert!(content.ends_with(") unauthorised)"), "{content}");
        }
        let (act, content) = ask(&mut directory, name, DF, "(search (df-agent-description))");
        assert_eq!((act, content.matches("plums").count()), (Performative::Inform, 1), "{content}");
        assert_eq!(subscribe_as(&mut directory, name, "c1"), Performative::Agree);
    }
    assert_eq!(traders(&mut directory), 1);
}

#[test]
fn an_agent_is_the_same_with_the_name_of_its_platform() {
    let named = |name: &str| format!("(df-agent-description :name (agent-identifier :name {name}))");
    for (own, sought) in [("ada", "ada@market"), ("ada@market", "ada"), ("ada@market", "ada@market")] {
        let mut directory = market();
        let iota = format!("((iota ?x (result (action (agent-identifier :name df) (search {})) ?x)))", named(sought));
        let subscribe = Message::subscribe().from("bob").to(DF).language("fipa-sl").content(iota);
        assert_eq!(hear(&mut directory, DF, &subscribe, 0).0.performative, Performative::Agree);
        let mut ask = |to, function: &str| ask(&mut directory, "ada", to, function);
        let description = DESCRIPTION.replace("ada", own);
        assert_eq!(ask(DF, &format!("(register {description})")).0, Performative::Inform);
        let found = ask(DF, &format!("(search {})", named(sought))).1;
        assert!(found.contains("(sequence (df-agent-description :name (agent-identifier :name ada) "), "{found}");
        assert!(ask(DF, &format!("(search {})", named("ada@farm"))).1.ends_with("(sequence)))"));
        assert!(ask(AMS, &format!("(search {})", named(sought).replace("df", "ams"))).1.contains(":state active"));
        assert!(
            ask(AMS, &format!("(register {})", named(own).replace("df", "ams"))).1.ends_with(" already-registered)")
        );
        assert_eq!(ask(DF, &format!("(modify {description})")).0, Performative::Inform);
        assert_eq!(ask(DF, &format!("(deregister {})", named("ada@farm"))).0, Performative::Refuse);
        let deregister = format!("((action (agent-identifier :name df) (deregister {})))", named(own));
        let (_, heard) = hear(&mut directory, DF, &Message::request().from("ada").to(DF).content(deregister), 0);
        assert_eq!(heard.told.len(), 1, "Bob has subscribed to her");
    }
}

#[test]
fn requests_are_refused_with_the_reasons_of_the_standard() {
    let mut directory = Directory::new();
    let cases = [
        ("bob", DF, format!("(register {DESCRIPTION})"), Performative::Refuse, "unauthorised)"),
        ("ada", DF, "(register)".into(), Performative::Refuse, "(missing-argument df-agent-description))"),
        (
            "ada",
            DF,
            "(register (df-agent-description :services (set)))".into(),
            Performative::Refuse,
            "(missing-parameter df-agent-description name))",
        ),
        ("ada", DF, "(dance)".into(), Performative::Refuse, "(unsupported-function dance))"),
        ("ada", DF, "(search".into(), Performative::NotUnderstood, "(unrecognised-value content))"),
        (
            "ada",
            AMS,
            "(register (ams-agent-description :name (agent-identifier :name ada)))".into(),
            Performative::Failure,
            "already-registered)",
        ),
        ("ada", AMS, "(deregister (ams-agent-description))".into(), Performative::Refuse, "unauthorised)"),
    ];
    for (sender, to, function, act, reason) in cases {
        let answer = ask(&mut directory, sender, to, &function);
        assert_eq!(answer.0, act, "{function}: {}", answer.1);
        assert!(answer.1.ends_with(reason), "{function}: {}", answer.1);
    }
    assert_eq!(directory.agents().len(), 0);
    let inform = Message::inform().from("ada").to(DF);
    let (answer, _) = hear(&mut directory, DF, &inform, 0);
    assert_eq!(answer.performative, Performative::NotUnderstood);
    assert!(text(&answer).ends_with("(unsupported-act inform))"), "{}", text(&answer));
    let report = answer.reply(Performative::NotUnderstood).from("ada");
    assert_eq!(directory.hear(DF, &report, "ada", &agents(), 0), Heard::default());
}

#[test]
fn the_white_pages_show_the_registered_agents() {
    let mut directory = Directory::new();
    let all = "(search (ams-agent-description) (search-constraints :max-results -1))";
    let (_, content) = ask(&mut directory, "ada", AMS, all);
    let bob = "(ams-agent-description :name (agent-identifier :name bob) :ownership NONE :state suspended)";
    assert!(content.contains(bob), "{content}");
    assert_eq!(content.matches(":state active").count(), 1);
    let (_, content) = ask(&mut directory, "ada", AMS, "(search (ams-agent-description :state active))");
    assert!(content.contains(":name ada") && !content.contains(":name bob"), "{content}");
    let waiting = ask(&mut directory, "ada", AMS, "(search (ams-agent-description :state waiting))");
    assert!(waiting.1.ends_with("(sequence)))"), "{}", waiting.1);
    let (_, content) = ask(&mut directory, "ada", AMS, "(search (ams-agent-description))");
    assert_eq!(content.matches(":ownership").count(), 1, "without constraints, there is at most one result");
}

#[test]
fn leases_end() {
    let mut directory = Directory::new();
    register(&mut directory, ":lease-time +00000000T000010000");
    assert_eq!(directory.next_expiry(), Some(11_000));
    directory.expire(10_999);
    assert_eq!(traders(&mut directory), 1);
    directory.expire(11_000);
    assert_eq!(traders(&mut directory), 0);
}

#[test]
fn agents_subscribe_as_those_of_jade_do() {
    let mut directory = Directory::new();
    let iota = "(iota ?x (result (action (agent-identifier :name df) (search (df-agent-description :services
        (set (service-description :type trade))) (search-constraints :max-results -1))) ?x))";
    let subscribe = Message::subscribe().from("bob").to(DF).language("fipa-sl").ontology("FIPA-Agent-Management");
    let subscribe = subscribe.content(format!("({iota})")).conversation_id("c1").reply_with("r1");
    let (answer, heard) = hear(&mut directory, DF, &subscribe, 0);
    assert_eq!((answer.performative, heard.told.len()), (Performative::Agree, 0));

    let told = |directory: &mut Directory, function: &str| {
        let content = format!("((action (agent-identifier :name df) ({function} {DESCRIPTION})))");
        let request = Message::request().from("ada").to(DF).content(content).language("fipa-sl0");
        let told = hear(directory, DF, &request, 0).1.told;
        assert!(told.iter().all(|one| one.receivers[0].name == "bob" && one.in_reply_to == Some("r1".into())));
        told.iter().map(text).collect::<Vec<_>>()
    };
    let [content] = &told(&mut directory, "register")[..] else { panic!("one agent has subscribed") };
    assert!(content.starts_with("((= (iota ?x (result "), "{content}");
    assert!(
        content.contains("(sequence (df-agent-description :name (agent-identifier :name ada) :services"),
        "{content}"
    );
    let [content] = &told(&mut directory, "deregister")[..] else { panic!("one agent has subscribed") };
    assert!(content.ends_with("(sequence (df-agent-description :name (agent-identifier :name ada)))))"), "{content}");

    let cancel = Message::cancel().from("bob").to(DF).conversation_id("c1");
    assert_eq!(hear(&mut directory, DF, &cancel, 0).0.performative, Performative::Inform);
    assert_eq!(told(&mut directory, "register").len(), 0);
}

#[test]
fn services_are_restored_from_what_was_written() {
    let mut directory = Directory::new();
    register(&mut directory, "");
    let changes = directory.take_changes();
    let [DirectoryChange::Registered(agent, description, None)] = &changes[..] else { panic!("{changes:?}") };
    let mut restored = Directory::new();
    restored.restore(agent.clone(), description, None);
    assert_eq!(traders(&mut restored), 1);
    restored.remove("ada");
    assert_eq!(traders(&mut restored), 0);
    assert_eq!(restored.take_changes(), [DirectoryChange::Removed("ada".into())]);
}

#[test]
fn an_owner_gets_as_much_of_the_directory_as_it_leaves_free() {
    let mut directory = Directory::with_room(100_000);
    let register = |directory: &mut Directory, account: &str, number: usize, services: usize| {
        let agent = format!("{account}-{number}");
        let services = "(service-description :name plums :type trade)".repeat(services);
        let described =
            format!("(df-agent-description :name (agent-identifier :name {agent}) :services (set {services}))");
        let content = format!("((action (agent-identifier :name df) (register {described})))");
        let request = Message::request().from(agent).to(DF).content(content);
        let Answer::Given(answer) = directory.hear(DF, &request, account, &agents(), 0).answer else { panic!() };
        let (is_done, said) = (answer.performative == Performative::Inform, text(&answer));
        assert!(is_done || said.contains("takes as much of it as it leaves free for others"), "{said}");
        is_done
    };
    let fill = |directory: &mut Directory, account: &str| {
        (0..1000).take_while(|number| register(directory, account, *number, 10)).count()
    };
    let first = fill(&mut directory, "mallory");
    let used = directory.bytes();
    assert!((45_000..=50_000).contains(&used), "{first} descriptions have {used} bytes");
    let second = fill(&mut directory, "eve");
    assert!((first / 2 - 1..=first / 2).contains(&second), "{second} after {first}");
    assert!(register(&mut directory, "ada", 0, 10), "there is room for others");
    for (account, count) in [("mallory", first), ("eve", second), ("ada", 1)] {
        (0..count).for_each(|number| drop(directory.remove(&format!("{account}-{number}"))));
    }
    assert_eq!(directory.bytes(), 0);
}
