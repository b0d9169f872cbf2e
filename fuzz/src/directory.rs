//! Properties of every message to the directory: it does not panic, answers each message with messages that can be
//! written and read, answers each search that goes on elsewhere once, and continues after a restart with the same
//! services.

use std::collections::BTreeSet;

use situated_acl::{Expression, Message, Performative, string};
use situated_platform::directory::{
    Agent, Answer, Description, Directory, DirectoryChange, LifeCycle, Service, asking,
};
use situated_platform::names::{AMS, DF};

/// Agents that ask.
const AGENTS: [&str; 2] = ["ada", "bob"];

/// The directory of another platform.
const OTHER: &str = "df@market";

/// Acts of the messages.
const ACTS: [Performative; 4] =
    [Performative::Request, Performative::Subscribe, Performative::Cancel, Performative::Inform];

/// Reads the data as contents of messages, which are separated by zeros. The first byte of each selects its sender,
/// receiver and act, and the second one the time until the next. A message of the other directory belongs to the last
/// search that goes on there.
pub fn contents(data: &[u8]) {
    let mut directory = Directory::new();
    directory.federate("here".into(), [("market".into(), true)]);
    let agents = AGENTS.map(|name| Agent { name: name.into(), state: LifeCycle::Active });
    let mut conversation = Expression::from("c1");
    let (mut unanswered, mut now) = (BTreeSet::new(), 1);
    let mut services: Vec<(String, String, Option<u64>)> = Vec::new();
    for part in data.split(|byte| *byte == 0).take(16) {
        let [selected, pause, content @ ..] = part else { continue };
        let selected = usize::from(*selected);
        let is_other = selected & 64 != 0;
        let agent = if is_other { OTHER } else { AGENTS[selected & 1] };
        let to = if selected & 2 == 0 { DF } else { AMS };
        let act = ACTS[(selected >> 2) % ACTS.len()];
        let message = Message::new(act).from(agent).to(to).reply_with("r1");
        let message = message.conversation_id(if is_other { conversation.clone() } else { "c1".into() });
        let message = message.content(String::from_utf8_lossy(content).into_owned());
        let heard = directory.hear(to, &message, "ada", &agents, now);
        match heard.answer {
            Answer::Given(answer) => {
                assert_eq!((answer.sender_name(), &*answer.receivers[0].name), (Some(to), agent));
                assert_readable(&answer);
            }
            Answer::Later(search) => {
                assert!(unanswered.insert(search));
                let mut questions = heard.told.iter().filter(|one| one.receivers[0].name == OTHER);
                conversation = questions.next_back().and_then(|one| one.conversation_id.clone()).expect("it is asked");
            }
            Answer::None => assert!(is_other && to == DF && act == Performative::Inform, "{message:?}"),
        }
        heard.told.iter().for_each(assert_readable);
        assert_ended(&mut directory, &mut unanswered);
        note(&mut services, directory.take_changes());
        now += u64::from(*pause) * 100;
    }
    now += 60_000;
    directory.expire(now);
    assert_ended(&mut directory, &mut unanswered);
    assert!(unanswered.is_empty());
    note(&mut services, directory.take_changes());
    let everything = asking::search(&Description::default(), 0).from("ada");
    let mut restored = Directory::new();
    for (agent, description, until) in &services {
        restored.restore(agent.as_str().into(), description, *until);
    }
    let Answer::Given(found) = directory.hear(DF, &everything, "ada", &[], now).answer else {
        panic!("it has no depth")
    };
    assert_eq!(restored.hear(DF, &everything, "ada", &[], now).answer, Answer::Given(found.clone()));
    for description in asking::found(&found).expect("it may search") {
        let mut known = AGENTS.into_iter().chain([OTHER]);
        assert!(known.any(|agent| description.agent.as_deref() == Some(agent)), "{description:?}");
        assert_eq!(Description::read(&Expression::from(&description)), Some(description));
    }
}

/// Reads the data as a value that describes a service, an agent, or neither.
pub fn descriptions(data: &[u8]) {
    let Some(value) = string::read_expression(data).map(Expression::into_owned) else { return };
    if let Some(service) = Service::read(&value) {
        assert_eq!(Service::read(&Expression::from(&service)), Some(service));
    }
    if let Some(description) = Description::read(&value) {
        let again = Description::read(&Expression::from(&description)).expect("what is written can be read");
        // A lease of more than 99 days is written as 99.
        assert_eq!(Description { lease: description.lease, ..again }, description);
    }
}

/// The searches that have ended are answered once.
fn assert_ended(directory: &mut Directory, unanswered: &mut BTreeSet<u64>) {
    for (search, answer) in directory.take_found() {
        assert!(unanswered.remove(&search));
        assert_readable(&answer);
    }
}

/// The content of an answer is one list of values.
fn assert_readable(answer: &Message<'_>) {
    let content = answer.content.as_ref().and_then(|content| content.as_text()).expect("it has a content");
    let read = string::read_expression(content.as_bytes());
    assert!(matches!(read, Some(Expression::List(_))), "{content}");
}

fn note(services: &mut Vec<(String, String, Option<u64>)>, changes: Vec<DirectoryChange>) {
    for change in changes {
        match change {
            DirectoryChange::Registered(agent, description, until) => {
                services.retain(|(name, ..)| *name != *agent);
                services.push((agent.into(), description, until));
            }
            DirectoryChange::Removed(agent) => services.retain(|(name, ..)| *name != *agent),
            DirectoryChange::Subscribed(..) | DirectoryChange::Unsubscribed(_) => {}
        }
    }
}
