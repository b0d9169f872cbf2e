//! The grammar of agent identifiers.

use std::borrow::Cow;

use super::error::{DecodeError, Read, Reason, RepairKind, Wanted};
use super::lexer::Text;
use super::parser::{Parser, duplicate, is_known, unexpected};
use crate::AgentIdentifier;
use crate::agent_identifier::MAX_RESOLVER_DEPTH;
use crate::word::is_word;

/// The parameters of agent identifiers in the standard.
const KNOWN: [&str; 3] = ["name", "addresses", "resolvers"];

impl<'a> Parser<'a> {
    /// `(set ..)` of agents.
    pub(super) fn agents(&mut self) -> Read<Vec<AgentIdentifier<'a>>> {
        if self.lexer.takes_opening("set") {
            return self.agents_until_closed(0);
        }
        self.mend(self.lexer.at, RepairKind::NoSet, |lexer| lexer.unexpected(Wanted::Agents).reason)?;
        Ok(vec![self.agent(0)?])
    }

    fn agents_until_closed(&mut self, depth: usize) -> Read<Vec<AgentIdentifier<'a>>> {
        let mut agents = Vec::new();
        while !self.lexer.takes(b')') {
            agents.push(self.agent(depth)?);
        }
        Ok(agents)
    }

    /// An agent at this depth of resolvers.
    pub(super) fn agent(&mut self, depth: usize) -> Read<AgentIdentifier<'a>> {
        let at = self.lexer.at;
        if !self.lexer.takes_opening("agent-identifier") {
            return self.bare_agent();
        }
        let mut agent = AgentIdentifier::new("");
        let mut seen = [false; KNOWN.len()];
        while let Some(name) = self.next_parameter()? {
            let known = KNOWN.iter().position(|known| name.bytes.eq_ignore_ascii_case(known.as_bytes()));
            let Some(known) = known else {
                self.user_parameter(name, &mut agent.user_parameters, &KNOWN)?;
                continue;
            };
            if std::mem::replace(&mut seen[known], true) {
                return Err(duplicate(name));
            }
            self.need_value(name)?;
            match known {
                0 => agent.name = self.name()?,
                1 => agent.addresses = self.addresses()?,
                _ => agent.resolvers = self.resolvers(depth + 1)?,
            }
        }
        match seen {
            [true, ..] => Ok(agent),
            _ => Err(DecodeError::new(at, Reason::NamelessAgent)),
        }
    }

    /// A word or, for names with blanks, a quoted text.
    fn name(&mut self) -> Read<Cow<'a, str>> {
        let at = self.lexer.at;
        if self.lexer.is_at_string() {
            return match self.lexer.string()? {
                Text::Letters(letters) => Ok(letters),
                Text::Bytes(bytes) => String::from_utf8(bytes.into_owned())
                    .map(Cow::Owned)
                    .map_err(|_| DecodeError::new(at, Reason::NotUtf8)),
            };
        }
        let letters = self.lexer.take_letters(self.lexer.run().len())?;
        if letters.is_empty() {
            return Err(self.lexer.unexpected(Wanted::Name));
        }
        if !is_word(letters) {
            self.mend(at, RepairKind::UnquotedText, |_| unexpected(Wanted::Name, letters))?;
        }
        Ok(letters.into())
    }

    /// `(sequence ..)` of addresses.
    fn addresses(&mut self) -> Read<Vec<Cow<'a, str>>> {
        if !self.lexer.takes_opening("sequence") {
            return Err(self.lexer.unexpected(Wanted::Addresses));
        }
        let mut addresses = Vec::new();
        while !self.lexer.takes(b')') {
            let run = self.lexer.run();
            if run.is_empty() {
                return Err(self.lexer.unexpected(Wanted::Address));
            }
            addresses.push(self.lexer.take_letters(run.len())?.into());
        }
        Ok(addresses)
    }

    /// `(sequence ..)` of agents.
    fn resolvers(&mut self, depth: usize) -> Read<Vec<AgentIdentifier<'a>>> {
        if depth > MAX_RESOLVER_DEPTH {
            return Err(self.lexer.error(Reason::TooDeep { most: MAX_RESOLVER_DEPTH }));
        }
        if !self.lexer.takes_opening("sequence") {
            return Err(self.lexer.unexpected(Wanted::Resolvers));
        }
        self.agents_until_closed(depth)
    }

    /// An agent with only a name. It ends where the next parameter begins, even without a blank.
    fn bare_agent(&mut self) -> Read<AgentIdentifier<'a>> {
        let at = self.lexer.at;
        let run = self.lexer.run();
        if run.is_empty() {
            return Err(self.lexer.unexpected(Wanted::Agent));
        }
        self.mend(at, RepairKind::BareName, |lexer| lexer.unexpected(Wanted::Agent).reason)?;
        if self.lexer.is_at_string() {
            return self.name().map(AgentIdentifier::new);
        }
        let end = (1..run.len()).find(|at| run[*at] == b':' && is_known(&run[at + 1..]));
        if let Some(end) = end {
            self.mend(at + end, RepairKind::NameEndsAtParameter, |lexer| lexer.unexpected(Wanted::Agent).reason)?;
        }
        Ok(AgentIdentifier::new(self.lexer.take_letters(end.unwrap_or(run.len()))?))
    }
}
