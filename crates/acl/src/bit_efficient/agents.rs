//! Agent identifiers. In messages, names and addresses are preceded by codes; in envelopes they are not.

use std::borrow::Cow;

use super::codes::{END, agent, value};
use super::error::{DecodeError, Read, Reason, RepairKind};
use super::input::Input;
use super::values::{
    Written, read_coded, read_string, read_user_parameter, write_string, write_text, write_user_parameter,
};
use crate::agent_identifier::{MAX_RESOLVER_DEPTH, check_address};
use crate::word::{is_address, is_word};
use crate::{AgentIdentifier, Content, UserParameter};

/// The forms in which the parts of agent identifiers are written. By default, they are those of messages, in which
/// each text is preceded by a code.
pub(crate) trait AgentCodec {
    /// The code of a parameter of users.
    const USER_PARAMETER: u8 = agent::USER_PARAMETER;

    /// Reads a name. If it is not a word, it is quoted, as in the string encoding.
    fn read_name<'a>(input: &mut Input<'a>) -> Read<Cow<'a, str>> {
        let at = input.at();
        match input.byte("the name of an agent")? {
            value::WORD => {
                let name = input.text()?;
                if !is_word(name) {
                    input.mend(at, RepairKind::NotAWord, Reason::NotAWord(name.into()))?;
                }
                Ok(name.into())
            }
            code => match read_string(input, code)? {
                Content::Text(name) => Ok(name),
                Content::Bytes(_) => Err(DecodeError::new(at, Reason::NotUtf8)),
            },
        }
    }

    /// Reads the text of an address, which may be invalid.
    fn read_address<'a>(input: &mut Input<'a>) -> Read<&'a str> {
        read_coded(input, "an address, or the end of the addresses")
    }

    fn read_parameter<'a>(input: &mut Input<'a>) -> Read<UserParameter<'a>> {
        read_user_parameter(input)
    }

    fn write_name(out: &mut Vec<u8>, name: &str) -> Written {
        if is_word(name) {
            write_text(out, &[value::WORD], name);
            return Ok(());
        }
        write_string(out, name)
    }

    fn write_address(out: &mut Vec<u8>, address: &str) -> Written {
        write_text(out, &[value::WORD], address);
        Ok(())
    }

    fn write_parameter(out: &mut Vec<u8>, parameter: &UserParameter<'_>) -> Written {
        write_user_parameter(out, parameter)
    }
}

/// Agent identifiers of messages by the standard.
pub(super) struct Coded;

impl AgentCodec for Coded {}

/// Reads a set or a sequence of agents, after the byte that opens it.
pub(crate) fn read_agents<'a, F: AgentCodec>(input: &mut Input<'a>, depth: usize) -> Read<Vec<AgentIdentifier<'a>>> {
    let mut agents = Vec::new();
    while input.goes_on() {
        agents.push(read_agent::<F>(input, depth)?);
    }
    Ok(agents)
}

/// Reads an agent at this depth of resolvers.
pub(crate) fn read_agent<'a, F: AgentCodec>(input: &mut Input<'a>, depth: usize) -> Read<AgentIdentifier<'a>> {
    if depth > MAX_RESOLVER_DEPTH {
        return input.refuse(Reason::TooDeep("resolvers"));
    }
    input.expect(agent::IDENTIFIER, "an agent identifier (02)")?;
    let mut agent = AgentIdentifier::new(F::read_name(input)?);
    if input.passes(agent::ADDRESSES) {
        while input.goes_on() {
            let at = input.at();
            let address = F::read_address(input)?;
            if !is_address(address) {
                return Err(DecodeError::new(at, Reason::NotAnAddress(address.into())));
            }
            agent.addresses.push(address.into());
        }
    }
    if input.passes(agent::RESOLVERS) {
        agent.resolvers = read_agents::<F>(input, depth + 1)?;
    }
    while input.goes_on() {
        input.expect(F::USER_PARAMETER, "a part of an agent identifier, or its end")?;
        agent.user_parameters.push(F::read_parameter(input)?);
    }
    Ok(agent)
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
    out.push(agent::IDENTIFIER);
    F::write_name(out, &agent.name).map_err(|error| error.of("the name"))?;
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
