//! Hosts Find the Goals in a process of its own, for clients of any server.
//! `situated serve & cargo run -p situated-client --example remote_host NAME [ws://ADDRESS:PORT]`

use std::env;
use std::error::Error;

use situated_find_goals::FindGoals;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let name = arguments.next().ok_or("expected a name for the environment")?;
    let server = arguments.next().or_else(|| env::var("SITUATED_URL").ok());
    let server = server.as_deref().unwrap_or("ws://127.0.0.1:7467");

    situated_client::host::<FindGoals>(server).name(&name).parameter("view", "global").wait()?;
    println!("{name} is over.");
    Ok(())
}
