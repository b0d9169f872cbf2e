//! Agent identifiers. In messages, names and addresses are preceded by codes; in envelopes they are not.

use std::borrow::Cow;

use super::codes::{END, agent, value};
use super::error::{DecodeError, Read, Reason, RepairKind};
use super::input::Input;
use super::values::{
    Written, no_word, read_string, read_user_parameter, write_string, write_user_parameter, write_word,
};
use crate::agent_identifier::{MAX_RESOLVER_DEPTH, check_address};
use crate::word::is_word;
use crate::{AgentIdentifier, Content, UserParameter};

/// Initial memory, enough for most sets of agents and sequences of addresses.
const USUAL_AGENTS: usize = 2;
const USUAL_ADDRESSES: usize = 1;

/// The forms in which the parts of agent identifiers are written.
pub(crate) trait AgentCodec {
    /// The code of a parameter of users.
    const USER_PARAMETER: u8;

    fn read_name<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>>;
    fn read_address<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>>;
    fn read_parameter<'a>(input: &mut Input<'a>, parameters: &mut Vec<UserParameter<'a>>) -> Read<()>;

    /// Writes the code of an agent identifier and a name.
    fn write_name(out: &mut Vec<u8>, name: &str) -> Written;
    fn write_address(out: &mut Vec<u8>, address: &str) -> Written;
    fn write_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Written;
}

/// Reads a set or a sequence of agents, after the byte that opens it.
pub(crate) fn read_agents<'a, F: AgentCodec>(input: &mut Input<'a>, depth: usize) -> Read<Vec<AgentIdentifier<'a>>> {
    let mut agents = Vec::with_capacity(USUAL_AGENTS);
    while input.goes_on() {
        read_agent::<F>(input, agents.push_mut(AgentIdentifier::new("")), depth)?;
    }
    Ok(agents)
}

/// Reads the parts of an agent identifier that is still empty.
pub(crate) fn read_agent<'a, F: AgentCodec>(
    input: &mut Input<'a>,
    agent: &mut AgentIdentifier<'a>,
    depth: usize,
) -> Read<()> {
    if depth > MAX_RESOLVER_DEPTH {
        return input.refuse(Reason::TooDeep("resolvers"));
    }
    input.expect(agent::IDENTIFIER, "an agent identifier (02)")?;
    agent.name = F::read_name(input)?;
    if input.passes(agent::ADDRESSES) {
        agent.addresses = Vec::with_capacity(USUAL_ADDRESSES);
        while input.goes_on() {
            agent.addresses.push(F::read_address(input)?);
        }
    }
    if input.passes(agent::RESOLVERS) {
        agent.resolvers = read_agents::<F>(input, depth + 1)?;
    }
    while input.goes_on() {
        input.expect(F::USER_PARAMETER, "a part of an agent identifier, or its end")?;
        F::read_parameter(input, &mut agent.user_parameters)?;
    }
    Ok(())
}

/// Writes a set of agents with its code, if there are any. Errors name the set.
pub(crate) fn write_agents<F: AgentCodec>(
    out: &mut Vec<u8>,
    code: u8,
    agents: &[AgentIdentifier<'_>],
    name: &'static str,
) -> Written {
    if agents.is_empty() {
        return Ok(());
    }
    out.push(code);
    for (place, agent) in agents.iter().enumerate() {
        write_agent::<F>(out, agent, 0).map_err(|error| error.of(format_args!("{name} {}", place + 1)))?;
    }
    out.push(END);
    Ok(())
}

/// Writes an agent at this depth of resolvers.
pub(crate) fn write_agent<F: AgentCodec>(out: &mut Vec<u8>, agent: &AgentIdentifier<'_>, depth: usize) -> Written {
    agent.check_depth(depth)?;
    F::write_name(out, &agent.name)?;
    if !agent.addresses.is_empty() {
        out.push(agent::ADDRESSES);
        for address in &agent.addresses {
            check_address(address)?;
            F::write_address(out, address)?;
        }
        out.push(END);
    }
    if !agent.resolvers.is_empty() {
        out.push(agent::RESOLVERS);
        for resolver in &agent.resolvers {
            write_agent::<F>(out, resolver, depth + 1).map_err(|error| error.of("a resolver"))?;
        }
        out.push(END);
    }
    for parameter in &agent.user_parameters {
        out.push(F::USER_PARAMETER);
        F::write_parameter(out, parameter)?;
    }
    out.push(END);
    Ok(())
}

/// Agent identifiers of messages: each text is preceded by a code.
pub(super) struct Coded;

impl AgentCodec for Coded {
    const USER_PARAMETER: u8 = agent::USER_PARAMETER;

    #[inline(always)]
    fn read_name<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>> {
        match input.word() {
            Some(name) => Ok(name.into()),
            None => read_other_name(input),
        }
    }

    #[inline(always)]
    fn read_address<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>> {
        match input.address() {
            Some(address) => Ok(address.into()),
            None => Err(no_word(input, "an address, or the end of the addresses", Reason::NotAnAddress)),
        }
    }

    #[inline(always)]
    fn read_parameter<'a>(input: &mut Input<'a>, parameters: &mut Vec<UserParameter<'a>>) -> Read<()> {
        read_user_parameter(input, parameters)
    }

    #[inline]
    fn write_name(out: &mut Vec<u8>, name: &str) -> Written {
        if is_word(name) {
            write_word(out, [agent::IDENTIFIER, value::WORD], name);
            return Ok(());
        }
        out.push(agent::IDENTIFIER);
        Ok(write_string(out, name).map_err(|error| error.of("the name"))?)
    }

    #[inline]
    fn write_address(out: &mut Vec<u8>, address: &str) -> Written {
        write_word(out, [value::WORD], address);
        Ok(())
    }

    #[inline]
    fn write_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Written {
        write_user_parameter(out, parameter)
    }
}

/// Reads a name that is not a word. It is quoted, as in the string encoding.
fn read_other_name<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>> {
    let at = input.at();
    match input.byte("the name of an agent")? {
        value::WORD => {
            let name = input.text()?;
            input.mend(at, RepairKind::NotAWord, Reason::NotAWord(name.into()))?;
            Ok(name.into())
        }
        code => match read_string(input, code)? {
            Content::Text(name) => Ok(name),
            Content::Bytes(_) => Err(DecodeError::new(at, Reason::NotUtf8)),
        },
    }
}
