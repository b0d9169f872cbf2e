//! A gateway for people with a terminal. A line is `NAME WORD`: the agent NAME executes the action WORD, through the
//! entity of the same name. The first line with a name registers the agent. Every connection can use every agent.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use situated::iil::Action;
use situated::interface::{Form, Since};
use situated_hub::{
    Answer, Associate, Error, Hub, Name, Notification, Receiver, Register, ReplyToken, Right, Session, SessionLimits,
    Step, TooLarge, Turn,
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

/// The gateway: one session for all of its agents.
pub(crate) struct TextGateway {
    hub: Arc<Hub>,
    session: Arc<Session>,
    replies: Arc<Replies>,
    environment: Name,
    known: Mutex<HashSet<Name>>,
    last: AtomicU64,
}

/// The connections that wait for replies, by token.
#[derive(Default)]
struct Replies(Mutex<HashMap<u64, UnboundedSender<String>>>);

impl TextGateway {
    pub(crate) fn new(hub: &Arc<Hub>, environment: &str) -> Arc<Self> {
        let replies = Arc::new(Replies::default());
        let rights = [Right::Act].into_iter().collect();
        let session = hub.open_session(rights, SessionLimits::default(), replies.clone()).expect("the hub is open");
        let (hub, environment, known, last) = (hub.clone(), environment.into(), Mutex::default(), AtomicU64::new(0));
        Arc::new(Self { hub, session, replies, environment, known, last })
    }

    pub(crate) async fn serve(self: Arc<Self>, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(self.clone().attend(stream));
        }
    }

    async fn attend(self: Arc<Self>, stream: TcpStream) {
        let (reader, mut writer) = stream.into_split();
        let (replies, mut waiting) = unbounded_channel::<String>();
        tokio::spawn(async move {
            while let Some(reply) = waiting.recv().await {
                let _ = writer.write_all(reply.as_bytes()).await;
            }
        });
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            self.take(&line, &replies);
        }
    }

    fn take(&self, line: &str, replies: &UnboundedSender<String>) {
        let Some((name, word)) = line.split_once(' ') else { return };
        let (environment, agent) = (self.environment.clone(), Name::from(name));
        let token = |wants_reply: bool| {
            let token = self.last.fetch_add(1, Ordering::Relaxed);
            if wants_reply {
                self.replies.0.lock().insert(token, replies.clone());
            }
            ReplyToken(token)
        };
        if self.known.lock().insert(agent.clone()) {
            let register = Register { environment: environment.clone(), agent: agent.clone() };
            self.hub.submit(&self.session, token(false), register);
            let entity = agent.clone();
            let associate = Associate { environment: environment.clone(), agent: agent.clone(), entity };
            self.hub.submit(&self.session, token(false), associate);
        }
        let turn = Turn::new(agent, Some(Action::new(word, [])));
        let (form, since) = (Form::Snapshot, Since::LastCall);
        let step = Step { environment, agents: vec![turn], form, since, perceive: true };
        self.hub.submit(&self.session, token(true), step);
    }
}

impl Receiver for Replies {
    fn answer(&self, token: ReplyToken, answer: Result<Answer, Error>) -> Option<TooLarge> {
        let replies = self.0.lock().remove(&token.0)?;
        let mut line = String::new();
        match answer {
            Ok(Answer::Stepped(stepped)) => {
                for turn in stepped.agents {
                    line.push_str(&turn.agent);
                    let failures = turn.results.iter().filter_map(|result| result.error.as_ref());
                    let failures = failures.map(ToString::to_string).chain(turn.error.map(|error| error.to_string()));
                    failures.for_each(|failure| line += &format!(" failed: {failure};"));
                    let percepts = turn.perceptions.iter().flat_map(|perception| &perception.add);
                    percepts.for_each(|percept| line += &format!(" {percept}"));
                }
            }
            Ok(_) => line.push_str("done"),
            Err(error) => line += &format!("failed: {error}"),
        }
        line.push('\n');
        let _ = replies.send(line);
        None
    }

    fn notify(&self, _: Notification<'_>) -> Option<TooLarge> {
        None
    }

    fn has_room(&self) -> bool {
        false
    }

    fn close(&self, _: Error) {
        self.0.lock().clear();
    }
}
