//! Menu items without a point: requests to other players, answers to their messages, texts that people type, and
//! available actions.

use situated::iil::{EcoString, Parameter, Percept};
use situated::menu::Menu;
use situated::names::nearest;

use super::offers::{Offers, TELL};
use super::things::{offer_at_hand, offer_bypass, offer_held_partner, offer_put_down};
use crate::action::Action;
use crate::map::ZoneKind;
use crate::messages::{Dialect, Message, SOMEBODY};

const REQUESTS: &str = "Choose message";
const ANSWERS: &str = "Answer";

pub(super) fn offer(offers: &mut Offers<'_>) {
    offer_bypass(offers);
    offer_put_down(offers);
    offer_at_hand(offers);
    let own = offers.robot.and_then(|robot| robot.partner);
    if let Some(partner) = own.and_then(|own| offers.world.partner(own)) {
        offer_held_partner(offers, partner);
    }
    tell_of_being_forgotten(offers);
    for player in offers.players() {
        request(offers, &player, Some(&player));
    }
    request(offers, &SOMEBODY.into(), None);
    answer(offers);
}

/// Offers replies to a message, under the message as a sentence.
pub(super) fn offer_replies(mut offers: Offers<'_>, percept: &Percept) -> Menu<Action> {
    let [Parameter::Identifier(from), content] = &percept.parameters[..] else { return Menu::default() };
    if percept.name != "message" {
        return Menu::default();
    }
    let sentence = match (Message::from_term(content, from), content) {
        (Ok(message), _) => message.to_english(Dialect::Specification),
        (Err(_), Parameter::Identifier(text)) => text.to_string(),
        (Err(_), term) => term.to_string(),
    };
    let replies: &[Message] = if sentence.ends_with('?') {
        &[Message::Yes, Message::No, Message::IDoNotKnow]
    } else {
        &[Message::Ok { room: None }, Message::Wait]
    };
    replies.iter().for_each(|reply| offers.suggest(ANSWERS, from, reply));
    offers.finish(sentence)
}

/// Offers a typed text as the message that it means, and otherwise as it is.
pub(super) fn offer_typed(mut offers: Offers<'_>, text: &str) -> Menu<Action> {
    match Message::from_english(text) {
        Ok(message) => {
            let message = message.with_names_of(offers.places(), offers.everybody());
            offers.say(&[TELL], &message);
            let unknown = unknown_name(&offers, &message);
            offers.finish(unknown.unwrap_or_default())
        }
        Err(why) => {
            offers.say_freely(text);
            let nearest = why.nearest.map(|sentence| format!(" Try: {sentence}")).unwrap_or_default();
            offers.finish(format!("Only people will understand this.{nearest}"))
        }
    }
}

/// Returns a sentence about the place or the player that a message names but that does not exist.
fn unknown_name(offers: &Offers<'_>, message: &Message) -> Option<String> {
    let place = message.place().filter(|name| offers.places().all(|place| *place != **name));
    let player = message.player().filter(|name| *name != SOMEBODY && offers.everybody().all(|one| *one != **name));
    let (what, name, nearest) = match (place, player) {
        (Some(name), _) => ("place", name.clone(), nearest(&name, offers.places().map(EcoString::as_str))),
        (None, Some(name)) => ("player", name.clone(), nearest(&name, offers.everybody().map(EcoString::as_str))),
        (None, None) => return None,
    };
    let hint = nearest.map(|nearest| format!(" Did you mean {nearest}?")).unwrap_or_default();
    Some(format!("There is no {what} {name}.{hint}"))
}

/// Offers the messages of an e-partner that was left behind in a place that it knows. Without GPS, it knows only
/// rooms.
fn tell_of_being_forgotten(offers: &mut Offers<'_>) {
    let forgotten = offers.partner.filter(|partner| partner.functions.forget_me_not && partner.holder.is_none());
    let Some((partner, zone)) = forgotten.and_then(|partner| Some((partner, partner.zone?))) else { return };
    let place = offers.world.ground().zone(zone);
    if partner.functions.gps || place.kind == ZoneKind::Room {
        offers.say(&[TELL], &Message::YouForgotMe { room: place.name.clone() });
    }
}

/// Offers requests to a player, or to any player that feels addressed; all players receive the latter.
fn request(offers: &mut Offers<'_>, player: &EcoString, receiver: Option<&EcoString>) {
    for (group, message) in requests(offers, player) {
        let sections = [REQUESTS, player.as_str(), group];
        let sections = if group.is_empty() { &sections[..2] } else { &sections };
        match receiver {
            Some(receiver) => offers.send(sections, receiver, &message),
            None => offers.say(sections, &message),
        }
    }
}

/// Returns the requests, each with the title of its submenu; `None` for requests without one.
fn requests(offers: &Offers<'_>, player: &EcoString) -> Vec<(&'static str, Message)> {
    let player = || player.clone();
    let mut requests = vec![
        ("", Message::AreYouClose { player: player() }),
        ("", Message::WillYouBeLong { player: player() }),
        ("", Message::PutDown { player: player() }),
    ];
    requests.extend(offers.rooms().map(|room| ("Go to", Message::GoToRoom { player: player(), room })));
    requests.extend(offers.colors().into_iter().map(|color| ("Find", Message::FindColor { player: player(), color })));
    for color in offers.needed() {
        let from = |room| ("Get", Message::GetColorFromRoom { player: player(), color, room });
        requests.extend(offers.rooms().map(from));
    }
    requests
}

fn answer(offers: &mut Offers<'_>) {
    for message in [
        Message::Yes,
        Message::No,
        Message::IDoNotKnow,
        Message::Ok { room: None },
        Message::IDo,
        Message::IDoNot,
        Message::Wait,
        Message::OnTheWay,
        Message::AlmostThere,
        Message::FarAway,
        Message::Delayed,
    ] {
        offers.say(&[ANSWERS], &message);
    }
}
