//! Prints the day for people. An action that a buyer begins stands at the left, and its results are indented below.

use std::fmt::Display;

use situated_acl::content::xml;
use situated_acl::{Judgement, Message, Performative, Protocol, Time, Verdict};

use crate::goods::{Lot, price_in, reason_in};

/// Formats a time as a clock shows it: `10:00:05`.
pub(crate) fn clock(now: i64) -> String {
    let Time { hour, minute, second, .. } = Time::at(now);
    format!("{hour:02}:{minute:02}:{second:02}")
}

/// Prints an action that begins.
pub(crate) fn begin(now: i64, what: impl Display) {
    println!("\n{}  {what}", clock(now));
}

/// Prints a result of an action.
pub(crate) fn result(now: i64, what: impl Display) {
    println!("{}    {what}", clock(now));
}

/// Describes the response of a seller to a buyer's call, and its meaning.
pub(crate) fn of_bargain(buyer: &str, message: &Message<'_>, judgement: &Judgement) -> String {
    let seller = sender(message);
    match (judgement.verdict, message.performative, Lot::in_message(message), price_in(message)) {
        (Verdict::Late { answer: None }, ..) => {
            format!("{seller} has nothing to offer to {buyer}, and says so too late")
        }
        (Verdict::Late { .. }, ..) => format!("{seller}'s offer is too late for {buyer}, who rejects it"),
        _ if judgement.is_violation() => format!("{buyer} does not accept what {seller} says: {judgement}"),
        (_, Performative::Propose, Some(lot), Some(price)) => format!("{seller} offers {buyer} {lot} for {price}"),
        (_, Performative::Inform, Some(lot), Some(price)) => format!("{seller} delivers {buyer} {lot} for {price}"),
        (_, Performative::Failure, ..) => format!("{seller} cannot deliver to {buyer}: {}", reason_in(message)),
        (_, Performative::Refuse, ..) => format!("{seller} has nothing to offer to {buyer}: {}", reason_in(message)),
        (_, act, ..) => format!("{seller} answers {buyer} with `{act}`"),
    }
}

/// Describes the response of a seller to a buyer's question or subscription.
pub(crate) fn of_answer(buyer: &str, message: &Message<'_>, judgement: &Judgement) -> String {
    let seller = sender(message);
    if judgement.is_violation() {
        return format!("{buyer} does not accept what {seller} says: {judgement}");
    }
    let told = match (message.performative, &message.content) {
        (Performative::Confirm, _) => "yes".into(),
        (Performative::Disconfirm, _) => "no".into(),
        (Performative::Inform, Some(content)) => {
            let products: Vec<_> = xml::elements(content, "product").collect();
            match price_in(message) {
                Some(price) => format!("a box of {} costs {price} now", products.join(", ")),
                None if judgement.protocol == Protocol::Subscribe => format!("{} are sold out", products.join(", ")),
                None => products.join(" and "),
            }
        }
        _ => reason_in(message).into(),
    };
    format!("{seller} tells {buyer}: {told}")
}

fn sender<'a>(message: &'a Message<'_>) -> &'a str {
    message.sender_name().unwrap_or("somebody")
}
