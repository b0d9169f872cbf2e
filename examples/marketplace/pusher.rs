//! An agent that breaks the protocol: asked for an offer, it delivers at once and demands money.

use situated_acl::{Message, Performative};

use crate::books::Books;
use crate::goods::Lot;
use crate::market::Agent;
use crate::story;

pub(crate) struct Pusher {
    name: String,
    books: Books,
}

impl Pusher {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.into(), books: Books::default() }
    }
}

impl Agent for Pusher {
    fn name(&self) -> &str {
        &self.name
    }

    fn books(&self) -> &Books {
        &self.books
    }

    fn hear(&mut self, message: &Message<'_>, now: i64) -> Vec<Message<'static>> {
        match Lot::in_message(message) {
            Some(lot) if message.performative == Performative::Cfp => {
                story::result(now, format_args!("{} makes no offer, but delivers at once", self.name));
                let delivery = message.reply(Performative::Inform).from(self.name.clone()).content(lot.offered(999));
                vec![delivery.into_owned()]
            }
            _ => Vec::new(),
        }
    }
}
