//! A buyer. It has plans for the day: it asks what sellers have, subscribes to prices, and calls for proposals.

use std::collections::VecDeque;

use situated_acl::{Conversation, Message, Performative, Phase, Protocol, Role, Time, Tokens, Verdict};

use crate::RULES;
use crate::books::{Books, Trade};
use crate::call::Call;
use crate::goods::{Lot, Product};
use crate::market::Agent;
use crate::story::{self, clock};

pub(crate) struct Buyer {
    name: String,
    /// The sellers that it calls.
    sellers: Vec<&'static str>,
    /// How long the buyer waits for offers, in milliseconds.
    patience: i64,
    books: Books,
    /// Its plans, in the order of time.
    plans: VecDeque<(i64, Errand)>,
    tokens: Tokens,
    calls: Vec<Call>,
    /// Questions and subscriptions.
    questions: Vec<Conversation>,
}

/// Something that a buyer does.
#[derive(Clone, Copy)]
pub(crate) enum Errand {
    /// Asks a seller what it sells.
    AskWhat(&'static str),
    /// Asks a seller whether it sells this product.
    AskWhether(&'static str, Product),
    /// Subscribes to a seller's price of this product.
    Subscribe(&'static str, Product),
    /// Cancels all subscriptions.
    Unsubscribe,
    /// Calls for a lot, up to a price in coins.
    Buy(Lot, u32),
}

impl Buyer {
    /// Creates a buyer with coins, a patience for offers in milliseconds, and plans in the order of time.
    pub(crate) fn new(
        name: &str,
        money: u32,
        patience: i64,
        sellers: &[&'static str],
        plans: impl IntoIterator<Item = (i64, Errand)>,
    ) -> Self {
        Self {
            name: name.into(),
            sellers: sellers.into(),
            patience,
            books: Books::with_money(money),
            plans: plans.into_iter().collect(),
            tokens: Tokens::new(name, 0),
            calls: Vec::new(),
            questions: Vec::new(),
        }
    }

    fn run(&mut self, errand: Errand, now: i64) -> Vec<Message<'static>> {
        let name = &self.name;
        match errand {
            Errand::AskWhat(seller) => {
                story::begin(now, format_args!("{name} asks {seller} what there is to buy"));
                vec![self.ask(seller, Message::query_ref().content("<products></products>"), Protocol::Query, now)]
            }
            Errand::AskWhether(seller, product) => {
                story::begin(now, format_args!("{name} asks {seller} whether there are {product}"));
                let question = format!("<marketplace><product>{product}</product><date>today</date></marketplace>");
                vec![self.ask(seller, Message::query_if().content(question), Protocol::Query, now)]
            }
            Errand::Subscribe(seller, product) => {
                story::begin(now, format_args!("{name} wants to be told by {seller} what {product} cost"));
                let price = format!("<product>{product}</product><price></price>");
                vec![self.ask(seller, Message::subscribe().content(price), Protocol::Subscribe, now)]
            }
            Errand::Unsubscribe => {
                story::begin(now, format_args!("{name} does not want to be told prices any more"));
                self.unsubscribe(now)
            }
            Errand::Buy(lot, limit) => vec![self.call(lot, limit, now)],
        }
    }

    /// Begins a conversation with this message.
    fn begin(&mut self, message: Message<'static>, by: Protocol, now: i64) -> (Message<'static>, Conversation) {
        let id = self.tokens.fresh();
        let mut conversation = Conversation::new(by, RULES, Role::Initiator, id.clone());
        let message = message.from(self.name.clone()).language("xml").protocol(by).conversation_id(id);
        let message = message.reply_with(self.tokens.fresh());
        conversation.sent(&message, now);
        (message, conversation)
    }

    fn ask(&mut self, seller: &'static str, question: Message<'static>, by: Protocol, now: i64) -> Message<'static> {
        let (question, conversation) = self.begin(question.to(seller).ontology("mp.xsd"), by, now);
        self.questions.push(conversation);
        question
    }

    /// Cancels all subscriptions.
    fn unsubscribe(&mut self, now: i64) -> Vec<Message<'static>> {
        let mut cancels = Vec::new();
        for subscription in &mut self.questions {
            let sellers = subscription.in_phase(Phase::Active).map(str::to_owned);
            let cancel = Message::cancel().from(self.name.clone()).protocol(Protocol::Subscribe);
            let cancel = sellers.fold(cancel.conversation_id(subscription.id().clone()), Message::to);
            if !cancel.receivers.is_empty() {
                subscription.sent(&cancel, now);
                cancels.push(cancel);
            }
        }
        cancels
    }

    /// Calls all sellers.
    fn call(&mut self, lot: Lot, limit: u32, now: i64) -> Message<'static> {
        let (name, until) = (&self.name, now + self.patience);
        story::begin(now, format_args!("{name} calls for {lot} for {limit} at the most, until {}", clock(until)));
        let cfp = Message::cfp().content(lot.wanted()).ontology("bid.xsd").reply_by(Time::at(until));
        let cfp = self.sellers.iter().fold(cfp, |cfp, seller| cfp.to(*seller));
        let (cfp, conversation) = self.begin(cfp, Protocol::ContractNet, now);
        self.calls.push(Call::new(conversation, lot, limit));
        cfp
    }

    /// Handles a seller's response to a call.
    fn bargain(&mut self, place: usize, message: &Message<'_>, now: i64) -> Vec<Message<'static>> {
        let judgement = self.calls[place].hear(message, now);
        story::result(now, story::of_bargain(&self.name, message, &judgement));
        match (judgement.verdict, message.performative) {
            (Verdict::Late { answer }, _) => answer.into_iter().map(|act| message.reply(act).into_owned()).collect(),
            _ if judgement.is_violation() => Vec::new(),
            (_, Performative::Inform) => {
                self.take(place, message);
                Vec::new()
            }
            (_, Performative::Failure) => self.try_again(place, now),
            _ => self.decide(place, now),
        }
    }

    /// Answers the offers if it is time to. Pays for the accepted offer.
    fn decide(&mut self, place: usize, now: i64) -> Vec<Message<'static>> {
        let call = &mut self.calls[place];
        if !call.is_ripe() {
            return Vec::new();
        }
        let answers = call.decide(self.books.money, now);
        self.books.money -= call.agreed.unwrap_or_default();
        match answers.iter().find(|answer| answer.performative == Performative::AcceptProposal) {
            Some(answer) => {
                story::result(now, format_args!("{} takes {}'s offer", self.name, answer.receivers[0].name));
            }
            None => story::result(now, format_args!("{} takes no offer", self.name)),
        }
        answers
    }

    /// Handles a delivery.
    fn take(&mut self, place: usize, delivery: &Message<'_>) {
        let Call { wanted: lot, agreed, .. } = self.calls[place];
        let seller = delivery.sender_name().unwrap_or_default().into();
        self.books.bought(Trade { buyer: self.name.clone(), seller, lot, price: agreed.unwrap_or_default() });
    }

    /// Takes the money back, and calls once more.
    fn try_again(&mut self, place: usize, now: i64) -> Vec<Message<'static>> {
        let call = &mut self.calls[place];
        self.books.money += call.agreed.take().unwrap_or_default();
        let (lot, limit) = (call.wanted, call.limit);
        vec![self.call(lot, limit, now)]
    }

    /// Handles a seller's response to a question or a subscription.
    fn learn(&mut self, message: &Message<'_>, now: i64) {
        let Some(question) = self.questions.iter_mut().find(|question| question.has(message)) else { return };
        let judgement = question.received(message, now);
        story::result(now, story::of_answer(&self.name, message, &judgement));
    }
}

impl Agent for Buyer {
    fn name(&self) -> &str {
        &self.name
    }

    fn books(&self) -> &Books {
        &self.books
    }

    fn hear(&mut self, message: &Message<'_>, now: i64) -> Vec<Message<'static>> {
        if let Some(place) = self.calls.iter().position(|call| call.conversation.has(message)) {
            return self.bargain(place, message, now);
        }
        self.learn(message, now);
        Vec::new()
    }

    fn alarm(&self) -> Option<i64> {
        let deadlines = self.calls.iter().filter_map(|call| call.conversation.deadline());
        self.plans.front().map(|(time, _)| *time).into_iter().chain(deadlines).min()
    }

    fn wake(&mut self, now: i64) -> Vec<Message<'static>> {
        let mut said = Vec::new();
        for place in 0..self.calls.len() {
            self.calls[place].conversation.advance(now);
            said.extend(self.decide(place, now));
        }
        while let Some((_, errand)) = self.plans.pop_front_if(|(time, _)| *time <= now) {
            said.extend(self.run(errand, now));
        }
        said
    }
}
