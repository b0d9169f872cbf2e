//! The reference page of the protocols.

use std::fmt::Write;

use situated_acl::{Effect, Performative, Profile, Protocol, Row};

const INTRODUCTION: &str = "\
# Interaction protocols

<!-- This page is generated from the tables in crates/acl/src/protocol/tables.rs. -->

This page lists the legal acts in the conversations of `situated-acl`. *I* is the initiator, *P* a participant; each
participant has a session of its own. In the diagrams, states that end a session have a double border; in the tables,
they are bold. A dashed border means that the state is drawn elsewhere, where the line at the right leads.

In every protocol:

- From the first message to the end, either side can answer `not-understood`, which leads to **NotUnderstood**.
- *I* can `cancel`. *P* answers `inform`, which leads to **Cancelled**, or `failure`, which leaves the state as before
  the `cancel`. A result that crosses the `cancel` on its way counts. After a `cancel` without `reply-with`, an `inform`
  or `failure` without `in-reply-to` is the answer. By the rules of the tutorial, `cancel` leads to **Cancelled** at
  once.
- A `reply-by` is the deadline of the next message. When it passes, the session is **TimedOut**, unless the table has
  another state. A message that arrives after the deadline is *late*: it changes nothing and is not a violation.
- All other messages are out of sequence: they are reported and change nothing.
- A reply repeats `reply-with` as `in-reply-to`. A reply without `in-reply-to` is accepted if only one message can be
  meant; a reply with another value is rejected.

Rows marked *tutorial* apply only with the rules of the tutorial *ACL & Protocols* (A. Mehlenbacher, 2001).
";

pub(crate) fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    for protocol in Protocol::ALL {
        section(&mut page, protocol).expect("a string can be written to");
    }
    page
}

fn section(page: &mut String, protocol: Protocol) -> std::fmt::Result {
    let table = protocol.table();
    write!(page, "\n## {protocol}\n\n![States of {protocol}](protocols/{protocol}.svg)\n\n")?;
    writeln!(page, "| state | side | act | next state | meaning |\n| --- | --- | --- | --- | --- |")?;
    for row in table.rows {
        let Row { from, by, act, meaning, .. } = row;
        let by = &by.name()[..1].to_uppercase();
        let only = if row.only == Some(Profile::Tutorial) { " (*tutorial*)" } else { "" };
        writeln!(page, "| {} | {by} | `{act}`{only} | {} | {meaning} |", state(*from), effect(row.effect))?;
    }
    for silence in table.silences {
        let (from, to) = (state(silence.in_phase), state(silence.to));
        writeln!(page, "| {from} | | *deadline* | {to} | {} |", silence.meaning)?;
    }
    if let Some(rivalry) = table.rivalry {
        let (only, from, to) = (rivalry.only_one_in, rivalry.displaced, rivalry.to);
        writeln!(
            page,
            "\nAt most one participant is in {only}. When one enters it, participants in {from} move to {to}."
        )?;
    }
    Ok(())
}

fn effect(effect: Effect) -> String {
    match effect {
        Effect::To(phase) => state(phase),
        Effect::Late(None) => "*late*".into(),
        Effect::Late(Some(answer)) => format!("*late*; answer {}", quoted(answer)),
    }
}

fn quoted(act: Performative) -> String {
    format!("`{act}`")
}

fn state(phase: situated_acl::Phase) -> String {
    if phase.is_terminal() { format!("**{phase}**") } else { phase.to_string() }
}
