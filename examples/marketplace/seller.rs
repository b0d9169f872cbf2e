//! A seller. It answers questions, tells subscribers its prices, and makes offers in response to calls.

use std::collections::BTreeMap;

use situated_acl::content::xml;
use situated_acl::{
    Abilities, Clause, Content, Conversation, Heard, Message, Outcome, Performative, Protocol, Responder, Role, TaskId,
    Truth, Understanding, Verdict,
};

use crate::RULES;
use crate::books::{Books, Trade};
use crate::goods::{Lot, Product};
use crate::market::Agent;
use crate::story;

pub(crate) struct Seller {
    name: String,
    stall: Stall,
    /// Answers questions and subscriptions.
    responder: Responder,
    /// The calls that it answered.
    bids: Vec<Bid>,
}

/// The data of a seller.
struct Stall {
    books: Books,
    /// Coins a box.
    prices: BTreeMap<Product, u32>,
}

/// An offer in response to a call. The goods are not reserved: they go to the first buyer who accepts.
struct Bid {
    conversation: Conversation,
    lot: Lot,
    price: u32,
}

impl Seller {
    /// Creates a seller with a stock and a price for a box of each lot.
    pub(crate) fn new(name: &str, stock: &[(Lot, u32)]) -> Self {
        let prices = stock.iter().map(|(lot, price)| (lot.product, *price)).collect();
        let understanding = Understanding::new().language("xml").act(Performative::Cfp);
        Self {
            name: name.into(),
            stall: Stall { books: Books::with_stock(stock.iter().map(|(lot, _)| *lot)), prices },
            responder: Responder::new(name, RULES).understanding(understanding),
            bids: Vec::new(),
        }
    }

    /// Answers a call with an offer or a refusal, unless it is too late for either.
    fn bid(&mut self, cfp: &Message<'_>, now: i64) -> Option<Message<'static>> {
        let answer = |act| cfp.reply(act).from(self.name.clone()).into_owned();
        let (Some(id), Some(lot)) = (&cfp.conversation_id, Lot::in_message(cfp)) else {
            return Some(answer(Performative::NotUnderstood).content(xml::reason("content")));
        };
        let mut conversation = Conversation::new(Protocol::ContractNet, RULES, Role::Participant, id.clone());
        conversation.received(cfp, now);
        let price = self.stall.books.has(lot).then(|| lot.boxes * self.stall.price(lot.product));
        let answer = match price {
            Some(price) => answer(Performative::Propose).content(lot.offered(price)),
            None => answer(Performative::Refuse).content(xml::reason("sold-out")),
        };
        if matches!(conversation.before_sending(&answer, now).verdict, Verdict::Late { .. }) {
            story::result(now, format_args!("{} reads it too late, and does not answer", self.name));
            return None;
        }
        conversation.sent(&answer, now);
        self.bids.extend(price.map(|price| Bid { conversation, lot, price }));
        Some(answer)
    }

    /// Delivers the offered goods if the seller still has them.
    fn deliver(&mut self, bid: &Bid, acceptance: &Message<'_>) -> Message<'static> {
        let answer = |act| acceptance.reply(act).into_owned();
        if !self.stall.books.has(bid.lot) {
            return answer(Performative::Failure).content(xml::reason("sold-out"));
        }
        let buyer = acceptance.sender_name().unwrap_or_default().to_owned();
        self.stall.sell(Trade { buyer, seller: self.name.clone(), lot: bid.lot, price: bid.price });
        answer(Performative::Inform).content(bid.lot.offered(bid.price))
    }

    /// Handles a buyer's response to an offer.
    fn conclude(&mut self, place: usize, message: &Message<'_>, now: i64) -> Vec<Message<'static>> {
        let mut bid = self.bids.swap_remove(place);
        let judgement = bid.conversation.received(message, now);
        let mut said = Vec::new();
        match judgement.verdict {
            Verdict::Next(_) if message.performative == Performative::AcceptProposal => {
                let delivery = self.deliver(&bid, message);
                bid.conversation.sent(&delivery, now);
                said.push(delivery);
                said.extend(self.responder.changed(now, &mut self.stall));
            }
            Verdict::Next(_) | Verdict::Late { .. } => {}
            _ => story::result(now, format_args!("{} does not accept that: {judgement}", self.name)),
        }
        if !bid.conversation.is_over() {
            self.bids.push(bid);
        }
        said
    }
}

impl Agent for Seller {
    fn name(&self) -> &str {
        &self.name
    }

    fn books(&self) -> &Books {
        &self.stall.books
    }

    fn hear(&mut self, message: &Message<'_>, now: i64) -> Vec<Message<'static>> {
        let bid = self.bids.iter().position(|bid| bid.conversation.has(message));
        match (self.responder.hear(message, now, &mut self.stall), bid, message.performative) {
            (Heard::Answered(answers), ..) => answers,
            (Heard::Left, Some(place), _) => self.conclude(place, message, now),
            (Heard::Left, None, Performative::Cfp) => self.bid(message, now).into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

impl Stall {
    fn price(&self, product: Product) -> u32 {
        self.prices.get(&product).copied().unwrap_or(0)
    }

    /// Each sale raises the price of the rest by one coin per box.
    fn sell(&mut self, trade: Trade) {
        *self.prices.entry(trade.lot.product).or_default() += 1;
        self.books.sold(trade);
    }

    fn is_for_sale(&self, product: Product) -> bool {
        self.books.boxes(product) > 0
    }
}

impl Abilities for Stall {
    /// `<product>plums</product>`: plums are for sale.
    fn holds(&mut self, proposition: Clause<'_>) -> Truth {
        match Product::in_content(proposition.content) {
            Some(product) if self.is_for_sale(product) => Truth::True,
            Some(_) => Truth::False,
            None => Truth::Unknown,
        }
    }

    /// Resolves a description: `<products></products>` is the list of products for sale, and
    /// `<product>plums</product><price></price>` the price of a box of plums.
    fn refers_to(&mut self, description: Clause<'_>) -> Option<Content<'static>> {
        if xml::element(description.content, "products").is_some() {
            let for_sale = Product::ALL.into_iter().filter(|product| self.is_for_sale(*product));
            let products: String = for_sale.map(|product| format!("<product>{product}</product>")).collect();
            return Some(format!("<products>{products}</products>").into());
        }
        let product = Product::in_content(description.content)?;
        let says = match self.is_for_sale(product) {
            true => format!("<price>{}</price>", self.price(product)),
            false => "<status>notforsale</status>".into(),
        };
        Some(format!("<product>{product}</product>{says}").into())
    }

    fn perform(&mut self, _: Clause<'_>, _: TaskId) -> Outcome {
        Outcome::Refused(xml::reason("unable"))
    }
}
