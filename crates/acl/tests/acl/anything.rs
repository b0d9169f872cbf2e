//! No input causes a crash, all messages are read as they were written, and a responder obeys the protocols.

use proptest::collection::vec;
use proptest::prelude::*;
use situated_acl::content::xml;
use situated_acl::{
    Abilities, Clause, Content, Conversation, Heard, Message, Monitor, Outcome, Performative, Profile, Protocol,
    Responder, Role, TaskId, Tokens, Truth, string,
};

use crate::random_messages::message;

/// Answers randomly.
struct Whim {
    choices: Vec<u8>,
    begun: Vec<TaskId>,
}

impl Whim {
    fn next(&mut self) -> u8 {
        let choice = self.choices.pop().unwrap_or_default();
        self.choices.insert(0, choice.wrapping_mul(7).wrapping_add(3));
        choice % 4
    }
}

impl Abilities for Whim {
    fn holds(&mut self, _: Clause<'_>) -> Truth {
        [Truth::True, Truth::False, Truth::Unknown, Truth::True][usize::from(self.next())]
    }

    fn refers_to(&mut self, _: Clause<'_>) -> Option<Content<'static>> {
        let value = self.next();
        (value > 0).then(|| format!("<value>{value}</value>").into())
    }

    fn perform(&mut self, _: Clause<'_>, task: TaskId) -> Outcome {
        match self.next() {
            0 => Outcome::Done(None),
            1 => Outcome::Failed(xml::reason("whim")),
            2 => Outcome::Refused(xml::reason("whim")),
            _ => {
                self.begun.push(task);
                Outcome::Begun
            }
        }
    }

    fn stop(&mut self, task: TaskId) -> bool {
        let stopped = self.next() > 1;
        self.begun.retain(|begun| !stopped || *begun != task);
        stopped
    }
}

const OPENINGS: [Performative; 6] = [
    Performative::QueryIf,
    Performative::QueryRef,
    Performative::Request,
    Performative::RequestWhen,
    Performative::RequestWhenever,
    Performative::Subscribe,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_message_causes_a_crash(messages in vec(message(), 1..6), choices in vec(any::<u8>(), 1..9)) {
        for profile in [Profile::Standard, Profile::Tutorial] {
            let mut whim = Whim { choices: choices.clone(), begun: Vec::new() };
            let mut monitor = Monitor::with_bounds(profile, 2, 3);
            let mut responder = Responder::new("me", profile);
            let id = messages[0].conversation_id.clone().unwrap_or_else(|| "c1".into());
            let mut sides = [Role::Initiator, Role::Participant]
                .map(|role| Conversation::new(Protocol::ContractNet, profile, role, id.clone()));
            for (now, message) in messages.iter().enumerate() {
                let findings = monitor.observe(message, now as i64);
                prop_assert!(findings.iter().all(|finding| !finding.to_string().is_empty()));
                responder.hear(message, now as i64, &mut whim);
                responder.changed(now as i64, &mut whim);
                for side in &mut sides {
                    _ = (side.sent(message, now as i64), side.received(message, now as i64));
                }
            }
            prop_assert!(monitor.conversations() <= 2 && monitor.sessions() <= 3);
        }
    }

    #[test]
    fn a_responder_sends_only_legal_messages(choices in vec(any::<u8>(), 5..40)) {
        for profile in [Profile::Standard, Profile::Tutorial] {
            let mut whim = Whim { choices: choices.clone(), begun: Vec::new() };
            let mut monitor = Monitor::new(profile);
            let mut responder = Responder::new("B", profile);
            let mut tokens = Tokens::new("t", 0);
            let mut openings = Vec::<Message<'static>>::new();
            for (now, choice) in choices.iter().enumerate() {
                let (now, pick) = (now as i64, usize::from(choice / 4));
                let said = match choice % 4 {
                    0 | 1 => {
                        let act = OPENINGS[pick % OPENINGS.len()];
                        let protocol = Protocol::opened_by(act).expect("it begins a conversation");
                        let content = "<message>do</message><condition>true</condition>";
                        let opening = Message::new(act).from("A").to("B").protocol(protocol).content(content);
                        let opening = opening.conversation_id(tokens.fresh()).reply_with(tokens.fresh());
                        openings.push(opening.clone());
                        Some(opening)
                    }
                    2 if !openings.is_empty() => {
                        let Message { protocol, conversation_id, .. } = openings.swap_remove(pick % openings.len());
                        let cancel = Message { protocol, conversation_id, ..Message::cancel() }.from("A").to("B");
                        Some(if pick % 2 == 0 { cancel } else { cancel.reply_with(tokens.fresh()) })
                    }
                    _ => None,
                };
                let mut answers = match &said {
                    Some(message) => {
                        monitor.observe(message, now);
                        let Heard::Answered(answers) = responder.hear(message, now, &mut whim) else {
                            panic!("{message:?}")
                        };
                        answers
                    }
                    None => responder.changed(now, &mut whim),
                };
                if let Some(task) = whim.begun.pop().filter(|_| pick % 3 == 0) {
                    answers.extend(responder.finished(task, Outcome::Done(None), now));
                }
                for answer in answers {
                    let violation = monitor.observe(&answer, now).into_iter().find(|finding| finding.is_violation());
                    prop_assert!(violation.is_none(), "{}", violation.expect("there is one"));
                }
            }
        }
    }
}

/// Texts of messages that are damaged in a few places.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            &b"("[..],
            b")",
            b"\"",
            b"\\",
            b":",
            b" ",
            b"#3\"",
            b"#99\"",
            b"\xC2\xA0",
            b"\xC2",
            b":content ",
            b" :receiver ",
            b":X-a ",
            b"(set ",
            b"2000-01-01",
        ])
        .prop_map(<[u8]>::to_vec),
        proptest::collection::vec(any::<u8>(), 0..4),
    ];
    let damages = proptest::collection::vec((any::<prop::sample::Index>(), 0..6_usize, piece), 0..4);
    (message(), damages).prop_map(|(message, damages)| {
        let mut text = string::encode(&message).expect("it can be written");
        for (place, length, piece) in damages {
            let at = place.index(text.len() + 1);
            text.splice(at..(at + length).min(text.len()), piece);
        }
        text
    })
}

proptest! {
    #[test]
    fn reads_the_messages_that_it_writes(message in message()) {
        let text = string::encode(&message).unwrap();
        prop_assert_eq!(string::decode(&text), Ok(message.clone()));
        prop_assert_eq!(string::decode_prefix(&text), Ok((message, text.len())));
    }

    #[test]
    fn reads_messages_in_sequence(one in message(), other in message()) {
        let mut text = string::encode(&one).unwrap();
        let length = text.len();
        text.extend(string::encode(&other).unwrap());
        prop_assert_eq!(string::decode_prefix(&text), Ok((one, length)));
        prop_assert_eq!(string::decode(&text[length..]), Ok(other));
    }

    #[test]
    fn reading_and_writing_is_stable(text in damaged()) {
        crate::fuzz::text(&text);
    }

    #[test]
    fn no_bytes_cause_a_crash(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        crate::fuzz::text(&bytes);
        crate::fuzz::text(&[b"(inform :content ", bytes.as_slice()].concat());
    }
}
