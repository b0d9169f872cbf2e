//! A seller registers a service with the directory of a server. A buyer who does not know the seller finds it, and asks
//! for its price.
//! `situated serve find-goals & cargo run -p situated-client --example directory [ws://ADDRESS:PORT]`

use std::env;
use std::error::Error;
use std::time::Duration;

use situated_acl::{Message, Performative};
use situated_client::directory::{Description, Service};
use situated_client::{Client, Mailbox};
use situated_wire::methods::Role;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = env::args().nth(1).or_else(|| env::var("SITUATED_URL").ok());
    let server = server.unwrap_or_else(|| "ws://127.0.0.1:7467".into());
    let client = Client::connect(&server).role(Role::Platform).await?;

    let seller = client.open_mailbox("ada").await?;
    let plums = Service::new("plums", "fruit").property("unit", "box");
    // The directory forgets an agent that does not renew its lease.
    seller.directory().register(Description { lease: Some(Duration::from_secs(3600)), ..plums.into() }).await?;
    let selling = tokio::spawn(sell(seller));

    let buyer = client.open_mailbox("bob").await?;
    let mut mail = buyer.mail().await?;
    for found in buyer.directory().search(Service::of_type("fruit")).await? {
        let (Some(agent), [service, ..]) = (found.agent, &found.services[..]) else { continue };
        println!("found {agent}, who has {}", service.name.as_deref().unwrap_or("something"));
        buyer.send(&Message::query_ref().to(agent).content("the price").conversation_id("c1").reply_with("q1")).await?;
        let answer = mail.receive().await?;
        let content = answer.content.as_ref().and_then(|content| content.as_text());
        println!("{}: {} {}", answer.sender_name().unwrap_or("?"), answer.performative, content.unwrap_or(""));
    }
    selling.await??;
    client.close().await?;
    Ok(())
}

/// Answers one question.
async fn sell(seller: Mailbox) -> Result<(), situated_client::Error> {
    let question = seller.mail().await?.receive().await?;
    let answer = question.reply(Performative::Inform).from("ada").content("3 euros");
    seller.send(&answer).await
}
