//! Hosting a world that is an ordinary environment.

use std::any::Any;
use std::collections::BTreeMap;
use std::future::{IntoFuture, pending};
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use situated::environment::Environment;
use situated::host::{HostAnswer, HostReport, HostTask, HostUpdate, Provider};
use situated::iil::Parameter;
use situated::interface::State;
use situated::ontology::Pace;
use situated_wire::methods::{Host, Role};
use tokio::runtime::Builder;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::{Hosted, StatusAnswer};
use crate::client::Client;
use crate::connect::Connect;
use crate::line::ToHost;
use crate::{Answer, Error};

/// Hosts an environment on a server until it is killed: `situated_client::host::<Corridor>("ws://127.0.0.1:7467").await`, or
/// [`.wait()`](Hosting::wait).
pub fn host<E: Environment>(address: &str) -> Hosting<E> {
    let announced = Host {
        ontology: E::ontology(),
        environment: None,
        parameters: BTreeMap::new(),
        seed: None,
        pace: None,
        speed: None,
        patience_ms: None,
        start: true,
        begin_timeout_ms: None,
        answer_timeout_ms: None,
    };
    Hosting { connect: Client::connect(address).role(Role::Host), announced, clock: None, world: PhantomData }
}

/// An environment that is about to be hosted: `.await` it in asynchronous code with a runtime of tokio, or
/// [`wait`](Self::wait) for it; it is done when the world is over. The world is run wherever this is awaited, so one that
/// thinks long is better waited for, on a thread of its own.
///
/// A lost connection is made again, and everything is told anew then. It is an error when the session has ended, and when the
/// world panics, which is over then.
#[must_use = "it is hosted when it is awaited"]
pub struct Hosting<E> {
    connect: Connect,
    announced: Host,
    clock: Option<Duration>,
    world: PhantomData<fn() -> E>,
}

impl<E: Environment> Hosting<E> {
    /// The name that it is to have on the server; by default that of its ontology, with a number if there is one already.
    pub fn name(mut self, name: &str) -> Self {
        self.announced.environment = Some(name.into());
        self
    }

    /// The token that the server wants.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.connect = self.connect.token(token);
        self
    }

    /// A file with certificates that are trusted, as in [`Connect::trust`].
    pub fn trust(mut self, certificates: impl AsRef<Path>) -> Self {
        self.connect = self.connect.trust(certificates);
        self
    }

    /// For how long it is tried to make a lost connection again, as in [`Connect::patience`].
    pub fn patience(mut self, patience: Duration) -> Self {
        self.connect = self.connect.patience(patience);
        self
    }

    /// The value of a parameter of its first episode; one that is left out has its default.
    pub fn parameter(mut self, name: &str, value: impl Into<Parameter>) -> Self {
        self.announced.parameters.insert(name.into(), value.into());
        self
    }

    /// The seed of its first episode; by default 1.
    pub fn seed(mut self, seed: u64) -> Self {
        self.announced.seed = Some(seed);
        self
    }

    /// Who moves its time; by default as it declares.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.announced.pace = Some(pace);
        self
    }

    /// How many steps the server makes a second at the most.
    pub fn speed(mut self, steps: f64) -> Self {
        self.announced.speed = Some(steps);
        self
    }

    /// It has a clock of its own here, which makes a step so often while time runs, and the server makes none.
    pub fn clock(mut self, period: Duration) -> Self {
        self.clock = Some(period);
        self.pace(Pace::Own)
    }

    /// Whether time is to run as soon as the first episode has begun, which is so by default.
    pub fn start(mut self, start: bool) -> Self {
        self.announced.start = start;
        self
    }

    /// Hosts it from this thread until it is over.
    ///
    /// # Errors
    /// When the server cannot be reached or does not take it, the session has ended, or the world has panicked.
    pub fn wait(self) -> Result<(), Error> {
        let no_timer = |error: std::io::Error| Error::Connect {
            address: self.connect.address.clone(),
            reason: format!("the system gives no timer: {error}"),
        };
        let runtime = Builder::new_current_thread().enable_time().build().map_err(no_timer)?;
        let client = self.connect.wait()?;
        runtime.block_on(run::<E>(client, self.announced, self.clock))
    }
}

impl<E: Environment> IntoFuture for Hosting<E> {
    type Output = Result<(), Error>;
    type IntoFuture = Answer<'static, ()>;

    fn into_future(self) -> Self::IntoFuture {
        Answer::new(async move { run::<E>(self.connect.await?, self.announced, self.clock).await })
    }
}

/// Hosts an environment until it is over; then the session ends, so that the server removes it.
async fn run<E: Environment>(client: Client, announced: Host, clock: Option<Duration>) -> Result<(), Error> {
    let hosted = client.host(announced).await?;
    let run = Run { hosted, world: Provider::<E>::new(), runs: false }.run(clock).await;
    client.close().await?;
    run
}

/// An environment that is hosted.
struct Run<E: Environment> {
    hosted: Hosted,
    world: Provider<E>,
    /// Whether time runs.
    runs: bool,
}

/// Whether a world goes on.
#[derive(PartialEq)]
enum Goes {
    On,
    Over,
}

impl<E: Environment> Run<E> {
    async fn run(mut self, clock: Option<Duration>) -> Result<(), Error> {
        let mut clock = clock.map(ticks);
        loop {
            let goes = tokio::select! {
                heard = self.hosted.receive() => self.hear(heard?).await?,
                () = tick(&mut clock), if self.runs => {
                    let says = self.attempt(None, Provider::step).await?;
                    self.say(says).await?
                }
            };
            if goes == Goes::Over {
                return Ok(());
            }
        }
    }

    async fn hear(&mut self, heard: ToHost) -> Result<Goes, Error> {
        let ToHost::Call(call) = heard else { return self.tell_anew().await };
        self.runs = match call.task {
            HostTask::Start => true,
            HostTask::Init { .. } | HostTask::Reset { .. } | HostTask::Pause | HostTask::Kill => false,
            _ => self.runs,
        };
        let is_over = call.task == HostTask::Kill;
        let says = self.attempt(Some(call.number), |world| world.answer(call)).await?;
        if is_over {
            // Whether that is still heard is of no account.
            let _ = self.hosted.say(says).await;
            return Ok(Goes::Over);
        }
        self.say(says).await
    }

    async fn say(&mut self, says: HostReport) -> Result<Goes, Error> {
        match self.hosted.say(says).await {
            Ok(()) => Ok(Goes::On),
            // All is told anew when the connection is there again.
            Err(Error::Uncertain { .. }) => Ok(Goes::On),
            Err(Error::Refused(_)) => self.tell_anew().await,
            Err(error) => Err(error),
        }
    }

    /// What was said has perhaps not been heard, or could not be taken over: all is told anew, if the world is not over.
    async fn tell_anew(&mut self) -> Result<Goes, Error> {
        loop {
            let Some(StatusAnswer { state, entities }) = self.hosted.standing().await? else { return Ok(Goes::Over) };
            self.runs = state == State::Running;
            if state == State::Initializing {
                return Ok(Goes::On);
            }
            let known: Vec<(&str, bool)> =
                entities.iter().map(|known| (known.entity.as_str(), !known.agents.is_empty())).collect();
            let says = self.attempt(None, |world| world.tell_anew(known)).await?;
            match self.hosted.say(says).await {
                Err(Error::Uncertain { .. }) => {}
                said => return said.map(|()| Goes::On),
            }
        }
    }

    /// Has the world do something. If it panics, it is over, and whoever asked for it is told why.
    async fn attempt(
        &mut self,
        call: Option<u64>,
        act: impl FnOnce(&mut Provider<E>) -> HostReport,
    ) -> Result<HostReport, Error> {
        let reason = match catch_unwind(AssertUnwindSafe(|| act(&mut self.world))) {
            Ok(says) => return Ok(says),
            Err(panic) => what_panicked(&*panic),
        };
        if let Some(number) = call {
            let failed = HostAnswer::Failed { reason: format!("the world has panicked: {reason}"), tried: true };
            let answer = HostReport::Answer { number, answer: failed, update: HostUpdate::default() };
            // Whether anybody hears it or not, it is over.
            let _ = self.hosted.say(answer).await;
        }
        Err(Error::Panicked { reason })
    }
}

fn ticks(period: Duration) -> Interval {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// The next tick of a clock, if there is one.
async fn tick(clock: &mut Option<Interval>) {
    match clock {
        Some(clock) => drop(clock.tick().await),
        None => pending().await,
    }
}

fn what_panicked(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message").to_owned()
}
