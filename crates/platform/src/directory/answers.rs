//! Answers to the messages that agents send to the AMS and the DF.

use ecow::EcoString;
use situated_acl::{Expression, Message, Performative};

use super::ONTOLOGY;
use super::constraints::Constraints;
use super::reading::{agent, agent_name, arguments, localized, read, sequence, slot, term, word, write};
use super::reason::Reason;
use super::{Answer, Directory, Heard, own_description};
use crate::names::{self, AMS, DF};

/// The languages whose common part is SL0.
const LANGUAGES: [&str; 5] = ["fipa-sl0", "fipa-sl1", "fipa-sl2", "fipa-sl", "sl"];

/// Maximum nesting depth of a content.
const DEPTH: usize = 32;

/// Answers a message to the AMS or the DF.
pub(crate) fn hear(
    directory: &mut Directory,
    to: &'static str,
    message: &Message<'_>,
    account: &str,
    agents: &[Agent],
    now: u64,
) -> Heard {
    let Some(sender) = message.sender_name() else { return Heard::default() };
    if to == DF && directory.federation().take(message) {
        return Heard::default();
    }
    let act = message.performative;
    let result = match act {
        // These report about messages. To answer them could go on for ever.
        Performative::Failure | Performative::NotUnderstood | Performative::Refuse => {
            return Heard::default();
        }
        Performative::Request => request(directory, to, message, (sender, account), agents, now),
        Performative::Subscribe if to == DF => subscribe(directory, message, (sender, account), now),
        Performative::Cancel if to == DF => {
            let action = vec![word("action"), agent(sender), vec![word("subscribe")].into()];
            if directory.cancel(sender, message) {
                let done: Expression<'_> = vec![vec![word("done"), action.into()].into()].into();
                Ok(heard(answer(to, message, Performative::Inform, &done), Vec::new()))
            } else {
                Err((action.into(), Reason::internal_error("there is no such subscription")))
            }
        }
        other => Err((act_of(sender, other), Reason::unsupported_act(other))),
    };
    result.unwrap_or_else(|(action, reason)| {
        let content = vec![action, reason.proposition].into();
        heard(answer(to, message, reason.act, &content), Vec::new())
    })
}

/// Executes a request. An error comes with the action.
fn request(
    directory: &mut Directory,
    to: &'static str,
    message: &Message<'_>,
    (sender, account): (&str, &str),
    agents: &[Agent],
    now: u64,
) -> Result<Heard, (Expression<'static>, Reason)> {
    let not_understood = |reason| (act_of(sender, Performative::Request), reason);
    let content = content(message).map_err(not_understood)?;
    let action = match content.as_slice() {
        [action] => action.clone(),
        _ => return Err(not_understood(Reason::unrecognised_value("content"))),
    };
    let local = localized(&action, directory.federation().platform());
    let (actor, function) = match arguments(&local, "action") {
        Some([actor, function]) if agent_name(actor).is_some_and(|name| is_service(&name, to)) => (actor, function),
        _ => return Err(not_understood(Reason::unrecognised_value("content"))),
    };
    let Some((name, given)) = term(function) else {
        return Err(not_understood(Reason::unrecognised_value("content")));
    };
    let inform = |content| answer(to, message, Performative::Inform, &content);
    let done = |action, told| heard(inform(vec![vec![word("done"), action].into()].into()), told);
    let executed: Result<Heard, Reason> = match (to, name.to_ascii_lowercase().as_str()) {
        (_, "search") => search(directory, (to, account), message, &action, given, agents, now),
        (AMS, "get-description") => Ok(heard(inform(result(&action, describe_platform())), Vec::new())),
        // Agents are registered by the server.
        (AMS, "register") => Err(match own_name(given, "ams-agent-description") {
            Some(name) if name == sender => Reason::already_registered(),
            Some(_) => Reason::unauthorised(),
            None => Reason::missing_argument("ams-agent-description"),
        }),
        (AMS, "deregister" | "modify") => Err(Reason::unauthorised()),
        (DF, "register" | "modify" | "deregister") => match given {
            _ if !directory.federation().may_register(sender) => Err(Reason::unauthorised()),
            [] => Err(Reason::missing_argument("df-agent-description")),
            [description, ..] if name.eq_ignore_ascii_case("deregister") => {
                let removed = own_description(sender, description).and_then(|_| directory.deregister(sender));
                removed.map(|told| done(action.clone(), told))
            }
            [description, ..] => {
                let replaces = name.eq_ignore_ascii_case("modify");
                let granted = directory.shorten_lease(sender, description, now);
                let told =
                    directory.register((sender, account), granted.as_ref().unwrap_or(description), replaces, now);
                let executed = granted.map_or_else(
                    || action.clone(),
                    |granted| vec![word("action"), actor.clone(), vec![name.to_owned().into(), granted].into()].into(),
                );
                told.map(|told| done(executed, told))
            }
        },
        _ => Err(Reason::unsupported_function(name)),
    };
    executed.map_err(|reason| (action, reason))
}

/// Searches, here and in other directories.
fn search(
    directory: &mut Directory,
    (to, account): (&'static str, &str),
    message: &Message<'_>,
    action: &Expression<'static>,
    given: &[Expression<'static>],
    agents: &[Agent],
    now: u64,
) -> Result<Heard, Reason> {
    let [template, rest @ ..] = given else { return Err(Reason::missing_argument("object")) };
    let constraints = Constraints::read(rest.first())?;
    if to == DF && directory.federation().has_seen(message.sender_name().unwrap_or_default(), &constraints) {
        return Ok(heard(found(to, message, action, Vec::new()), Vec::new()));
    }
    let here = directory.search(to, template, &constraints, agents)?;
    if to == DF && constraints.depth > 0 {
        let bytes = message.size() + action.size() + here.iter().map(Expression::size).sum::<usize>();
        directory.check_room(account, bytes)?;
        let extended = directory.federation().extend(message, action, template, &constraints, &here, now)?;
        if let Some((number, questions)) = extended {
            directory.keep_search(number, account, bytes);
            return Ok(Heard { answer: Answer::Later(number), told: questions });
        }
    }
    Ok(heard(found(to, message, action, here), Vec::new()))
}

/// The answer to a search.
pub(crate) fn found(
    from: &'static str,
    search: &Message<'_>,
    action: &Expression<'static>,
    found: Vec<Expression<'static>>,
) -> Message<'static> {
    answer(from, search, Performative::Inform, &result(action, sequence(found)))
}

fn result(action: &Expression<'static>, value: Expression<'static>) -> Expression<'static> {
    vec![vec![word("result"), action.clone(), value].into()].into()
}

fn heard(answer: Message<'static>, told: Vec<Message<'static>>) -> Heard {
    Heard { answer: Answer::Given(Box::new(answer)), told }
}

/// Whether this is the name of a service, on its own or with the name of a platform: `df@market`.
fn is_service(name: &str, service: &str) -> bool {
    names::split(name).0.eq_ignore_ascii_case(service)
}

/// Begins a subscription to the result of a search: `((iota ?x (result (action df (search …)) ?x)))`.
fn subscribe(
    directory: &mut Directory,
    message: &Message<'_>,
    (sender, account): (&str, &str),
    now: u64,
) -> Result<Heard, (Expression<'static>, Reason)> {
    let act = || act_of(sender, Performative::Subscribe);
    content(message).map_err(|reason| (act(), reason))?;
    let Some((iota, template)) = subscribed(message, directory.federation().platform()) else {
        return Err((act(), Reason::unrecognised_value("content")));
    };
    let first =
        directory.subscribe((sender, account), message, iota, template, now).map_err(|reason| (act(), reason))?;
    let agreed = vec![act(), word("true")].into();
    Ok(heard(answer(DF, message, Performative::Agree, &agreed), first.into_iter().collect()))
}

/// The message by which a subscription ends that has lasted for as long as it may.
pub(crate) fn ended(sender: &str, message: &Message<'_>) -> Message<'static> {
    let reason = Reason::internal_error("the subscription has lasted for a day; subscribe again");
    let content = vec![act_of(sender, Performative::Subscribe), reason.proposition].into();
    answer(DF, message, reason.act, &content)
}

/// The expression to whose value an agent has subscribed by this message, and the template in it.
pub(crate) fn subscribed(message: &Message<'_>, platform: &str) -> Option<(Expression<'static>, Expression<'static>)> {
    match content(message).ok()?.as_slice() {
        [iota] => template(&localized(iota, platform)).map(|template| (iota.clone(), template)),
        _ => None,
    }
}

/// The template of the search to whose result an agent subscribes.
fn template(iota: &Expression<'static>) -> Option<Expression<'static>> {
    let [variable, proposition] = arguments(iota, "iota")? else { return None };
    let [action, value] = arguments(proposition, "result")? else { return None };
    let [_, function] = arguments(action, "action")? else { return None };
    let [template, ..] = arguments(function, "search")? else { return None };
    (variable == value).then(|| template.clone())
}

/// The expressions of a content, which is a tuple.
fn content(message: &Message<'_>) -> Result<Vec<Expression<'static>>, Reason> {
    let named =
        |value: &Option<Expression<'_>>| value.as_ref().and_then(Expression::as_text).map(str::to_ascii_lowercase);
    if named(&message.ontology).is_some_and(|name| name != ONTOLOGY.to_ascii_lowercase()) {
        return Err(Reason::unsupported_value("ontology"));
    }
    if named(&message.language).is_some_and(|name| !LANGUAGES.contains(&name.as_str())) {
        return Err(Reason::unsupported_value("language"));
    }
    let text = message.content.as_ref().and_then(|content| content.as_text());
    match text.filter(|text| depth(text) <= DEPTH).and_then(read) {
        Some(Expression::List(values)) => Ok(values),
        _ => Err(Reason::unrecognised_value("content")),
    }
}

/// An upper limit of the nesting depth of a text.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The name of the agent that the first argument describes.
fn own_name(given: &[Expression<'static>], kind: &str) -> Option<String> {
    agent_name(slot(arguments(given.first()?, kind)?, "name")?)
}

/// The description of the platform.
fn describe_platform() -> Expression<'static> {
    vec![word("ap-description"), word(":name"), word("situated")].into()
}

/// The act of a sender, without its content.
fn act_of(sender: &str, act: Performative) -> Expression<'static> {
    vec![word("action"), agent(sender), vec![act.to_string().into()].into()].into()
}

fn answer(from: &'static str, to: &Message<'_>, act: Performative, content: &Expression<'static>) -> Message<'static> {
    let reply = to.reply(act).into_owned();
    reply.from(from).language("fipa-sl0").ontology(ONTOLOGY).content(write(content))
}

/// An agent that is registered with the server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Agent {
    /// Its name.
    pub name: EcoString,
    /// The state of its life cycle.
    pub state: LifeCycle,
}

/// The state of the life cycle of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LifeCycle {
    /// It gets its messages.
    Active,
    /// Its client is disconnected, and may return. Its messages wait.
    Suspended,
}

/// The description of an agent by the AMS.
pub(crate) fn describe(Agent { name, state }: &Agent) -> Expression<'static> {
    let state = match state {
        LifeCycle::Active => "active",
        LifeCycle::Suspended => "suspended",
    };
    let described = [word("ams-agent-description"), word(":name"), agent(name), word(":ownership"), word("NONE")];
    described.into_iter().chain([word(":state"), word(state)]).collect::<Vec<_>>().into()
}
