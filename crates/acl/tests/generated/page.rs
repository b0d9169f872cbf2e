//! The reference page of the protocols.

use std::fmt::Write;

use situated_acl::{Effect, Performative, Profile, Protocol, Row};

const INTRODUCTION: &str = "\
# Interaction protocols

<!-- This page is made from the tables in crates/acl/src/protocol/tables.rs. -->

Who may say what when, in the conversations of `situated-acl`. *I* is the initiator, *P* a participant; each participant
has a session of its own. States at which a session ends have a double border in the diagrams, and are bold in the
tables. A dashed border means that the state is drawn elsewhere, where the line at the right leads.

In every protocol:

- Once something has been said, and until the end, either side may answer `not-understood`, which leads to
  **NotUnderstood**.
- *I* may `cancel`. *P* answers `inform`, which leads to **Cancelled**, or `failure`, after which all is as before.
  Results that cross the cancel count. By the rules of the tutorial, `cancel` leads to **Cancelled** at once.
- A `reply-by` is the deadline of the next message. When it passes, the session is **TimedOut**, unless the table says
  otherwise. What arrives later is *late*: it changes nothing, and is nobody's fault.
- Anything else is out of sequence: it is reported, and changes nothing.
- A reply repeats `reply-with` as `in-reply-to`. One that has none is taken where it is clear what it answers; one that
  answers something else is not.

Rows that are marked *tutorial* hold by the rules of the tutorial *ACL & Protocols* (A. Mehlenbacher, 2001) only.
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
    writeln!(page, "| in | who | does | leads to | and means |\n| --- | --- | --- | --- | --- |")?;
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
        writeln!(page, "\nOne participant at most is in {only}. When one enters it, whoever is in {from} is in {to}.")?;
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
