//! The sellers of a market over four platforms. Each registers what it sells, answers calls for proposals, and delivers
//! to those who accept, until the clerk closes the market. `market.py` starts it with the address of the server.

use std::collections::{BTreeMap, HashMap};
use std::env;
use std::error::Error;

use situated::iil::{Function, Numeral, Parameter};
use situated_acl::{Message, Performative};
use situated_client::directory::{Description, Service};
use situated_client::{Client, Mailbox};
use situated_wire::methods::Role;
use tokio::task::JoinSet;

/// Boxes of a product, and the price of a box.
type Stock = (&'static str, i64, i64);

const SELLERS: [(&str, &[Stock]); 3] = [
    ("paula", &[("plums", 40, 4)]),
    ("peter", &[("plums", 30, 5), ("peaches", 20, 6)]),
    ("olga", &[("peaches", 30, 5)]),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = env::args().nth(1).ok_or("which server? tcp://ADDRESS:PORT")?;
    let client = Client::connect(&server).role(Role::Platform).await?;
    let mut sellers = JoinSet::new();
    for (name, stock) in SELLERS {
        sellers.spawn(Seller::new(client.open_mailbox(name).await?, name, stock).sell());
    }
    while let Some(ended) = sellers.join_next().await {
        ended??;
    }
    client.close().await?;
    Ok(())
}

struct Seller {
    mailbox: Mailbox,
    name: &'static str,
    /// Boxes and the price of a box, by product.
    stock: BTreeMap<&'static str, (i64, i64)>,
    /// What it has offered, by conversation: a product, a number of boxes, and their price.
    offers: HashMap<String, (&'static str, i64, i64)>,
    money: i64,
    sent: i64,
    received: i64,
}

impl Seller {
    fn new(mailbox: Mailbox, name: &'static str, stock: &[Stock]) -> Self {
        let stock = stock.iter().map(|(product, boxes, price)| (*product, (*boxes, *price))).collect();
        Self { mailbox, name, stock, offers: HashMap::new(), money: 0, sent: 0, received: 0 }
    }

    async fn sell(mut self) -> Result<(), situated_client::Error> {
        let mut mail = self.mailbox.mail().await?;
        self.register().await?;
        self.say(Message::inform().to("clerk").content("ready")).await?;
        loop {
            let message = mail.receive().await?;
            self.received += 1;
            let conversation =
                message.conversation_id.as_ref().and_then(|id| id.as_text()).unwrap_or_default().to_owned();
            match message.performative {
                Performative::Cfp => self.bid(&message, conversation).await?,
                Performative::AcceptProposal => self.deliver(&message, &conversation).await?,
                Performative::RejectProposal => drop(self.offers.remove(&conversation)),
                // The clerk closes the market.
                Performative::Request => return self.report(&message).await,
                _ => {}
            }
        }
    }

    /// Answers a call such as `buy(plums, 10)`.
    async fn bid(&mut self, call: &Message<'_>, conversation: String) -> Result<(), situated_client::Error> {
        let Some((product, boxes)) = wanted(call) else {
            return self.say(call.reply(Performative::NotUnderstood)).await;
        };
        match self.stock.get_key_value(product.as_str()) {
            Some((product, (left, price))) if *left >= boxes => {
                let (product, price) = (*product, price * boxes);
                self.offers.insert(conversation, (product, boxes, price));
                self.say(call.reply(Performative::Propose).content(format!("offer({product}, {boxes}, {price})"))).await
            }
            _ => self.say(call.reply(Performative::Refuse).content(format!("sold_out({product})"))).await,
        }
    }

    /// Hands over what was accepted, unless another buyer was faster.
    async fn deliver(&mut self, accepted: &Message<'_>, conversation: &str) -> Result<(), situated_client::Error> {
        let Some((product, boxes, price)) = self.offers.remove(conversation) else {
            return self.say(accepted.reply(Performative::Failure).content("no_offer")).await;
        };
        let Some((left, _)) = self.stock.get_mut(product).filter(|(left, _)| *left >= boxes) else {
            return self.say(accepted.reply(Performative::Failure).content(format!("sold_out({product})"))).await;
        };
        *left -= boxes;
        let is_sold_out = *left == 0;
        self.money += price;
        self.say(accepted.reply(Performative::Inform).content(format!("sold({product}, {boxes}, {price})"))).await?;
        if is_sold_out { self.register().await } else { Ok(()) }
    }

    /// Tells the directory what there is to buy.
    async fn register(&self) -> Result<(), situated_client::Error> {
        let services = self.stock.iter().filter(|(_, (left, _))| *left > 0);
        let services: Vec<Service> = services.map(|(product, _)| Service::new(*product, "fruit")).collect();
        if services.is_empty() {
            return self.mailbox.directory().deregister().await;
        }
        self.mailbox.directory().register(Description { services, ..Description::default() }).await
    }

    /// Tells the clerk what is in the books: money, boxes, and the messages that were sent (with this one) and
    /// received.
    async fn report(&mut self, request: &Message<'_>) -> Result<(), situated_client::Error> {
        let left = |product| self.stock.get(product).map_or(0, |(left, _)| *left);
        let (plums, peaches, sent) = (left("plums"), left("peaches"), self.sent + 1);
        let books = format!("books({}, {plums}, {peaches}, {sent}, {})", self.money, self.received);
        self.say(request.reply(Performative::Inform).content(books)).await
    }

    async fn say(&mut self, message: Message<'_>) -> Result<(), situated_client::Error> {
        self.sent += 1;
        self.mailbox.send(&message.from(self.name)).await
    }
}

/// The product and the number of boxes in a call.
fn wanted(call: &Message<'_>) -> Option<(String, i64)> {
    let term: Function = call.content.as_ref()?.as_text()?.parse().ok()?;
    match (term.name.as_str(), &*term.parameters) {
        ("buy", [Parameter::Identifier(product), Parameter::Numeral(Numeral::Integer(boxes))]) if *boxes > 0 => {
            Some((product.to_string(), *boxes))
        }
        _ => None,
    }
}
