//! A call for proposals, from the view of the buyer who made it.

use situated_acl::{Conversation, Judgement, Message, Performative, Phase, Verdict};

use crate::goods::{Lot, price_in};

pub(crate) struct Call {
    pub(crate) conversation: Conversation,
    pub(crate) wanted: Lot,
    /// Maximum price in coins.
    pub(crate) limit: u32,
    offers: Vec<Offer>,
    /// The price that was accepted.
    pub(crate) agreed: Option<u32>,
    is_decided: bool,
}

struct Offer {
    proposal: Message<'static>,
    /// `None` if the seller does not offer what the buyer asked for.
    price: Option<u32>,
}

impl Call {
    /// Creates a call for a lot up to a price, in a new conversation.
    pub(crate) fn new(conversation: Conversation, wanted: Lot, limit: u32) -> Self {
        Self { conversation, wanted, limit, offers: Vec::new(), agreed: None, is_decided: false }
    }

    /// Handles a response to the call, or a later message about it.
    pub(crate) fn hear(&mut self, message: &Message<'_>, now: i64) -> Judgement {
        let judgement = self.conversation.received(message, now);
        if matches!(judgement.verdict, Verdict::Next(state) if state.phase == Phase::Proposed) {
            let price = price_in(message).filter(|_| Lot::in_message(message) == Some(self.wanted));
            self.offers.push(Offer { proposal: message.clone().into_owned(), price });
        }
        judgement
    }

    /// Returns whether it is time to decide: all sellers have answered, or the deadline has passed.
    pub(crate) fn is_ripe(&self) -> bool {
        !self.is_decided && self.conversation.awaited().next().is_none()
    }

    /// Accepts the cheapest offer that is within the limit and the purse, if there is one, and rejects the others.
    pub(crate) fn decide(&mut self, purse: u32, now: i64) -> Vec<Message<'static>> {
        self.is_decided = true;
        let most = self.limit.min(purse);
        let fitting =
            self.offers.iter().enumerate().filter(|(_, offer)| offer.price.is_some_and(|price| price <= most));
        let best = fitting.min_by_key(|(_, offer)| offer.price).map(|(place, _)| place);
        self.agreed = best.and_then(|place| self.offers[place].price);
        let mut answers = Vec::new();
        for (place, Offer { proposal, .. }) in self.offers.drain(..).enumerate() {
            let act = if best == Some(place) { Performative::AcceptProposal } else { Performative::RejectProposal };
            let mut answer = proposal.reply(act);
            answer.content = proposal.content;
            self.conversation.sent(&answer, now);
            answers.push(answer);
        }
        answers
    }
}
