//! Two agents without an environment: a buyer asks a seller for its price.
//! `situated serve find-goals & cargo run -p situated-client --example messages [ws://ADDRESS:PORT]`

use std::env;
use std::error::Error;

use situated_acl::{Message, Performative};
use situated_client::{Client, Mailbox};
use situated_wire::methods::Role;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = env::args().nth(1).or_else(|| env::var("SITUATED_URL").ok());
    let server = server.unwrap_or_else(|| "ws://127.0.0.1:7467".into());
    let client = Client::connect(&server).role(Role::Platform).await?;
    let seller = tokio::spawn(sell(client.open_mailbox("seller").await?));

    let buyer = client.open_mailbox("buyer").await?;
    let mut mail = buyer.mail().await?;
    let question = Message::query_ref().to("seller").to("nobody").content("the price of plums").reply_with("q1");
    buyer.send(&question.conversation_id("plums")).await?;
    for _ in 0..2 {
        let answer = mail.receive().await?;
        let content = answer.content.as_ref().and_then(|content| content.as_text());
        println!("{}: {} {}", answer.sender_name().unwrap_or("?"), answer.performative, content.unwrap_or(""));
    }
    seller.await??;
    client.close().await?;
    Ok(())
}

/// Answers one question.
async fn sell(seller: Mailbox) -> Result<(), situated_client::Error> {
    let question = seller.mail().await?.receive().await?;
    let answer = question.reply(Performative::Inform).from("seller").content("3 euros");
    seller.send(&answer).await
}
