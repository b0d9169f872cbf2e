//! Hosting an ordinary environment.

use std::any::Any;
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
use situated_wire::Error as Refusal;
use situated_wire::methods::{Host, Role};
use tokio::runtime::Builder;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::{Hosted, StatusAnswer};
use crate::client::Client;
use crate::connect::Connect;
use crate::inbox::ToHost;
use crate::{Answer, Error};

/// Hosts an environment on a server until it is killed: `situated_client::host::<Corridor>("ws://127.0.0.1:7467").await`, or
/// [`.wait()`](Hosting::wait).
pub fn host<E: Environment>(address: &str) -> Hosting<E> {
    let announced = Host { steps_with_actions: true, ..Host::new(E::ontology()) };
    Hosting { connect: Client::connect(address).role(Role::Host), announced, clock: None, environment: PhantomData }
}

/// An environment that is not yet hosted. `.await` it in asynchronous code with a runtime of tokio, or call
/// [`wait`](Self::wait); both return when the environment has ended. It runs in the awaiting task or thread, so a
/// slow environment should have its own thread.
///
/// After a lost connection, the host sends the whole state again. The result is an error when the session ends, or
/// when the environment panics or reports something that the server refuses.
#[must_use = "the environment is hosted when this is awaited"]
pub struct Hosting<E> {
    connect: Connect,
    announced: Host,
    clock: Option<Duration>,
    environment: PhantomData<fn() -> E>,
}

impl<E: Environment> Hosting<E> {
    /// Sets its name on the server. The default is the name of its ontology, with a number if that is taken.
    pub fn name(mut self, name: &str) -> Self {
        self.announced.environment = Some(name.into());
        self
    }

    /// Sets the token, if the server requires one.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.connect = self.connect.token(token);
        self
    }

    /// Sets a file with trusted certificates, as in [`Connect::trust`].
    pub fn trust(mut self, certificates: impl AsRef<Path>) -> Self {
        self.connect = self.connect.trust(certificates);
        self
    }

    /// Sets the time for reconnecting, as in [`Connect::patience`].
    pub fn patience(mut self, patience: Duration) -> Self {
        self.connect = self.connect.patience(patience);
        self
    }

    /// Sets a parameter of its first episode, instead of its default.
    pub fn parameter(mut self, name: &str, value: impl Into<Parameter>) -> Self {
        self.announced.parameters.insert(name.into(), value.into());
        self
    }

    /// Sets the seed of its first episode, by default 1.
    pub fn seed(mut self, seed: u64) -> Self {
        self.announced.seed = Some(seed);
        self
    }

    /// Sets its pace, instead of that of its ontology.
    pub fn pace(mut self, pace: Pace) -> Self {
        self.announced.pace = Some(pace);
        self
    }

    /// Sets the maximum number of steps per second that the server makes.
    pub fn speed(mut self, steps: f64) -> Self {
        self.announced.speed = Some(steps);
        self
    }

    /// Gives it its own clock, which makes a step in each period while time runs. The server then makes none.
    pub fn clock(mut self, period: Duration) -> Self {
        self.clock = Some(period);
        self.pace(Pace::Own)
    }

    /// Sets whether time runs from the beginning of the first episode, which is the default.
    pub fn start(mut self, start: bool) -> Self {
        self.announced.start = start;
        self
    }

    /// Hosts it from this thread until it has ended.
    ///
    /// # Errors
    /// Returns an error if the server cannot be reached or rejects the environment, the session ends, or the
    /// environment panics or reports something that the server refuses.
    pub fn wait(self) -> Result<(), Error> {
        let no_timer = |error: std::io::Error| Error::Connect {
            address: self.connect.address.clone(),
            reason: format!("the system cannot create a timer: {error}"),
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

/// Hosts an environment until it has ended, and then ends the session, so that the server removes it.
async fn run<E: Environment>(client: Client, announced: Host, clock: Option<Duration>) -> Result<(), Error> {
    let hosted = client.host(announced).await?;
    let run = Run { hosted, provider: Provider::<E>::new(), runs: false, last: None }.run(clock).await;
    client.close().await?;
    run
}

/// A hosted environment.
struct Run<E: Environment> {
    hosted: Hosted,
    provider: Provider<E>,
    /// Whether time runs.
    runs: bool,
    /// The number of the last call.
    last: Option<u64>,
}

impl<E: Environment> Run<E> {
    async fn run(mut self, clock: Option<Duration>) -> Result<(), Error> {
        let mut clock = clock.map(ticks);
        loop {
            let continues = tokio::select! {
                received = self.hosted.receive() => self.perform(received?).await?,
                () = tick(&mut clock), if self.runs => {
                    let report = self.attempt(None, Provider::step).await?;
                    self.say(report).await?
                }
            };
            if !continues {
                return Ok(());
            }
        }
    }

    /// Handles a message of the server. Returns whether the environment continues.
    async fn perform(&mut self, received: ToHost) -> Result<bool, Error> {
        let call = match received {
            ToHost::Call(call) => call,
            ToHost::Resumed => return self.send_all().await,
            ToHost::Refused(refusal) => return self.end_refused(self.last, refusal).await,
        };
        self.runs = match call.task {
            HostTask::Start => true,
            HostTask::Init { .. } | HostTask::Reset { .. } | HostTask::Pause | HostTask::Kill => false,
            _ => self.runs,
        };
        let is_over = call.task == HostTask::Kill;
        self.last = Some(call.number);
        let report = self.attempt(self.last, |provider| provider.answer(call)).await?;
        if is_over {
            // The connection to the server may be lost.
            let _ = self.hosted.say(report).await;
            return Ok(false);
        }
        self.say(report).await
    }

    async fn say(&mut self, report: HostReport) -> Result<bool, Error> {
        match self.hosted.say(report).await {
            Ok(()) => Ok(true),
            // The host sends the whole state when the connection is restored.
            Err(Error::Uncertain { .. }) => Ok(true),
            // The report may build on one that was lost with the connection.
            Err(Error::Refused(_)) if self.hosted.take_notices() => self.send_all().await,
            Err(Error::Refused(refusal)) => self.end_refused(None, refusal).await,
            Err(error) => Err(error),
        }
    }

    /// Ends the environment, which has reported something invalid, unless the server has ended it before the report. The
    /// error answers the call.
    async fn end_refused(&mut self, call: Option<u64>, refusal: Refusal) -> Result<bool, Error> {
        if self.hosted.standing().await?.is_none() {
            return Ok(false);
        }
        self.fail(call, refusal.to_string()).await;
        Err(refusal.into())
    }

    /// Sends the whole state, since the server may have missed or discarded a report. Returns whether the environment
    /// continues.
    async fn send_all(&mut self) -> Result<bool, Error> {
        loop {
            let Some(StatusAnswer { state, entities }) = self.hosted.standing().await? else { return Ok(false) };
            self.runs = state == State::Running;
            if state == State::Initializing {
                return Ok(true);
            }
            let known: Vec<(&str, bool)> =
                entities.iter().map(|known| (known.entity.as_str(), !known.agents.is_empty())).collect();
            let report = self.attempt(None, |provider| provider.report_all(known)).await?;
            match self.hosted.say(report).await {
                Err(Error::Uncertain { .. }) => {}
                sent => return sent.map(|()| true),
            }
        }
    }

    /// Lets the environment act. If it panics, the error answers the call.
    async fn attempt(
        &mut self,
        call: Option<u64>,
        act: impl FnOnce(&mut Provider<E>) -> HostReport,
    ) -> Result<HostReport, Error> {
        let reason = match catch_unwind(AssertUnwindSafe(|| act(&mut self.provider))) {
            Ok(report) => return Ok(report),
            Err(panic) => what_panicked(&*panic),
        };
        self.fail(call, format!("the environment has panicked: {reason}")).await;
        Err(Error::Panicked { reason })
    }

    /// Answers a call with the reason for which the environment ends.
    async fn fail(&mut self, call: Option<u64>, reason: String) {
        let Some(number) = call else { return };
        let (answer, update) = (HostAnswer::Failed { reason, tried: true }, HostUpdate::default());
        // The connection to the server may be lost.
        let _ = self.hosted.say(HostReport::Answer { number, answer, update }).await;
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
