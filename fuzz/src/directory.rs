//! Properties of every message to the directory: it does not panic, answers each message with messages that can be written
//! and read, and continues after a restart with the same services.

use situated_acl::{Expression, Message, Performative, string};
use situated_directory::{AMS, Change, DF, Description, Directory, Service, asking};

/// Agents that ask.
const AGENTS: [&str; 2] = ["ada", "bob"];

/// Acts of the messages.
const ACTS: [Performative; 4] =
    [Performative::Request, Performative::Subscribe, Performative::Cancel, Performative::Inform];

/// Reads the data as contents of messages, which are separated by zeros. The first byte of each selects its sender,
/// receiver and act, and the second one the time until the next.
pub fn contents(data: &[u8]) {
    let mut directory = Directory::new();
    let mut now = 1;
    let mut services: Vec<(String, String, Option<u64>)> = Vec::new();
    for part in data.split(|byte| *byte == 0).take(16) {
        let [selected, pause, content @ ..] = part else { continue };
        let selected = usize::from(*selected);
        let (agent, to) = (AGENTS[selected & 1], if selected & 2 == 0 { DF } else { AMS });
        let act = ACTS[(selected >> 2) % ACTS.len()];
        let message = Message::new(act).from(agent).to(to).conversation_id("c1").reply_with("r1");
        let message = message.content(String::from_utf8_lossy(content).into_owned());
        let answers = directory.hear(to, &message, &AGENTS.map(Into::into), now);
        assert_eq!((answers[0].sender_name(), &*answers[0].receivers[0].name), (Some(to), agent));
        answers.iter().for_each(assert_readable);
        note(&mut services, directory.take_changes());
        now += u64::from(*pause) * 100;
    }
    let everything = asking::search(&Description::default()).from("ada");
    let mut restored = Directory::new();
    for (agent, description, until) in &services {
        restored.restore(agent.as_str().into(), description, *until);
    }
    let found = directory.hear(DF, &everything, &[], now).remove(0);
    assert_eq!(restored.hear(DF, &everything, &[], now).remove(0), found);
    for description in asking::found(&found).expect("it may search") {
        assert!(AGENTS.iter().any(|agent| description.agent.as_deref() == Some(agent)), "{description:?}");
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

/// The content of an answer is one list of values.
fn assert_readable(answer: &Message<'_>) {
    let content = answer.content.as_ref().and_then(|content| content.as_text()).expect("it has a content");
    let read = string::read_expression(content.as_bytes());
    assert!(matches!(read, Some(Expression::List(_))), "{content}");
}

fn note(services: &mut Vec<(String, String, Option<u64>)>, changes: Vec<Change>) {
    for change in changes {
        match change {
            Change::Registered(agent, description, until) => {
                services.retain(|(name, ..)| *name != *agent);
                services.push((agent.into(), description, until));
            }
            Change::Removed(agent) => services.retain(|(name, ..)| *name != *agent),
            Change::Subscribed(..) | Change::Unsubscribed(_) => {}
        }
    }
}
