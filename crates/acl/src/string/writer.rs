//! Writes messages by the grammar.

use std::borrow::Cow;

use crate::agent_identifier::{MOST_USER_PARAMETERS, check_address};
use crate::expression::MAX_LIST_DEPTH;
use crate::jade::{BASE64, CONTENT_ENCODING, in_base64, is_content_encoding};
use crate::parameter::Parameter;
use crate::time::checked;
use crate::word::is_word;
use crate::{AgentIdentifier, Content, Expression, Message, Time, Unencodable, UserParameter, Word};

/// Appends text to existing text: by the grammar, or in the form that JADE reads.
pub(super) struct Writer<'o> {
    pub(super) out: &'o mut Vec<u8>,
    pub(super) for_jade: bool,
}

impl Writer<'_> {
    pub(super) fn message(&mut self, message: &Message<'_>) -> Result<(), Unencodable> {
        self.out.push(b'(');
        self.write(message.performative.name());
        if let Some(sender) = &message.sender {
            self.name(Parameter::Sender);
            self.agent(sender, 0).map_err(|problem| problem.of("sender"))?;
        }
        self.agents(Parameter::Receiver, &message.receivers)?;
        self.agents(Parameter::ReplyTo, &message.reply_to)?;
        if let Some(content) = &message.content {
            self.name(Parameter::Content);
            match content {
                Content::Text(text) => self.text(text),
                Content::Bytes(bytes) if self.for_jade => {
                    self.text(&in_base64(bytes));
                    self.write(" :");
                    self.write(CONTENT_ENCODING);
                    self.write(" ");
                    self.write(BASE64);
                }
                Content::Bytes(bytes) => self.bytes(bytes),
            }
        }
        self.value(Parameter::Language, &message.language)?;
        self.value(Parameter::Encoding, &message.encoding)?;
        self.value(Parameter::Ontology, &message.ontology)?;
        self.protocol(&message.protocol)?;
        self.value(Parameter::ConversationId, &message.conversation_id)?;
        self.value(Parameter::ReplyWith, &message.reply_with)?;
        self.value(Parameter::InReplyTo, &message.in_reply_to)?;
        if let Some(time) = &message.reply_by {
            self.name(Parameter::ReplyBy);
            self.time(time).map_err(|problem| problem.of(Parameter::ReplyBy.name()))?;
        }
        let is_in_base64 = self.for_jade && matches!(message.content, Some(Content::Bytes(_)));
        self.user_parameters(&message.user_parameters, is_in_base64)?;
        self.out.push(b')');
        Ok(())
    }

    fn agents(&mut self, parameter: Parameter, agents: &[AgentIdentifier<'_>]) -> Result<(), Unencodable> {
        if agents.is_empty() {
            return Ok(());
        }
        self.name(parameter);
        self.write("(set");
        for (index, agent) in agents.iter().enumerate() {
            self.out.push(b' ');
            let place = |problem: Unencodable| problem.of(format_args!("{} {}", parameter.name(), index + 1));
            self.agent(agent, 0).map_err(place)?;
        }
        self.out.push(b')');
        Ok(())
    }

    /// Writes an agent at this depth of resolvers.
    fn agent(&mut self, agent: &AgentIdentifier<'_>, depth: usize) -> Result<(), Unencodable> {
        agent.check_depth(depth)?;
        self.write("(agent-identifier :name ");
        let is_bare = is_word(&agent.name) && !agent.name.starts_with(':') && !agent.name.contains('"');
        match is_bare && self.reads_bare(&agent.name) {
            true => self.write(&agent.name),
            false => self.text(&agent.name),
        }
        if !agent.addresses.is_empty() {
            self.write(" :addresses (sequence");
            agent.addresses.iter().try_for_each(|address| self.address(address))?;
            self.out.push(b')');
        }
        if !agent.resolvers.is_empty() {
            self.resolvers(&agent.resolvers, depth + 1)?;
        }
        self.user_parameters(&agent.user_parameters, false)?;
        self.out.push(b')');
        Ok(())
    }

    fn address(&mut self, address: &str) -> Result<(), Unencodable> {
        check_address(address)?;
        if !self.reads_bare(address) {
            let why = "of which JADE reads only ASCII characters; write others as in %C3%A9";
            return Err(Unencodable::new("an address", address, why));
        }
        self.out.push(b' ');
        self.write(address);
        Ok(())
    }

    fn resolvers(&mut self, resolvers: &[AgentIdentifier<'_>], depth: usize) -> Result<(), Unencodable> {
        self.write(" :resolvers (sequence");
        for (index, agent) in resolvers.iter().enumerate() {
            self.out.push(b' ');
            let place = |problem: Unencodable| problem.of(format_args!("resolver {}", index + 1));
            self.agent(agent, depth).map_err(place)?;
        }
        self.out.push(b')');
        Ok(())
    }

    fn value(&mut self, parameter: Parameter, value: &Option<Expression<'_>>) -> Result<(), Unencodable> {
        let Some(value) = value else { return Ok(()) };
        self.name(parameter);
        self.parameter_value(value).map_err(|problem| problem.of(parameter.name()))
    }

    fn protocol(&mut self, protocol: &Option<Word<'_>>) -> Result<(), Unencodable> {
        let Some(protocol) = protocol else { return Ok(()) };
        if protocol.as_str().starts_with(':') {
            let why = "which would be read as a parameter; remove the colon";
            return Err(Unencodable::new(Parameter::Protocol.name(), protocol.as_str(), why));
        }
        if !self.reads_bare(protocol.as_str()) {
            let why = "of which JADE reads only ASCII characters; choose another name";
            return Err(Unencodable::new(Parameter::Protocol.name(), protocol.as_str(), why));
        }
        self.name(Parameter::Protocol);
        self.write(protocol.as_str());
        Ok(())
    }

    fn user_parameters(
        &mut self,
        parameters: &[UserParameter<'_>],
        skips_content_encoding: bool,
    ) -> Result<(), Unencodable> {
        if parameters.len() > MOST_USER_PARAMETERS {
            let why = "which is one of more than 256 user parameters; remove some of them";
            return Err(Unencodable::new("a parameter", parameters[0].name.as_str(), why));
        }
        for (index, parameter) in parameters.iter().enumerate() {
            let name = parameter.name.as_str();
            if skips_content_encoding && is_content_encoding(name) {
                continue;
            }
            let is_same = |other: &UserParameter<'_>| unmarked(other).eq_ignore_ascii_case(unmarked(parameter));
            if parameters[..index].iter().any(is_same) {
                let why = "which occurs twice (case and the prefix X- do not matter); remove one";
                return Err(Unencodable::new("a parameter", name, why));
            }
            self.write(if parameter.is_prefixed() { " :" } else { " :X-" });
            self.write(name);
            self.out.push(b' ');
            self.parameter_value(&parameter.value).map_err(|problem| problem.of(name))?;
        }
        Ok(())
    }

    /// Writes a value after the name of a parameter. A word that begins with a colon would be read as the next name.
    fn parameter_value(&mut self, value: &Expression<'_>) -> Result<(), Unencodable> {
        match value {
            Expression::Word(word) if word.as_str().starts_with(':') => {
                self.text(word.as_str());
                Ok(())
            }
            _ => self.expression(value, 0),
        }
    }

    /// Writes a value at this depth of lists.
    pub(super) fn expression(&mut self, value: &Expression<'_>, depth: usize) -> Result<(), Unencodable> {
        match value {
            Expression::Word(word) if self.reads_bare(word.as_str()) => self.write(word.as_str()),
            Expression::Word(_) | Expression::Bytes(_) | Expression::List(_) if self.for_jade => {
                self.text(&letters(value)?)
            }
            Expression::Word(word) => self.write(word.as_str()),
            Expression::String(text) => self.text(text),
            Expression::Bytes(bytes) => self.bytes(bytes),
            Expression::Number(number) => self.write(number.as_str()),
            Expression::Time(time) => self.time(time)?,
            Expression::List(values) => self.list(values, depth)?,
        }
        Ok(())
    }

    fn list(&mut self, values: &[Expression<'_>], depth: usize) -> Result<(), Unencodable> {
        if depth == MAX_LIST_DEPTH {
            return Err(Unencodable::new(
                "the value",
                "a list",
                "which is nested too deeply; at most 256 levels of lists are allowed",
            ));
        }
        self.out.push(b'(');
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                self.out.push(b' ');
            }
            self.expression(value, depth + 1)?;
        }
        self.out.push(b')');
        Ok(())
    }

    fn time(&mut self, time: &Time) -> Result<(), Unencodable> {
        self.write(&checked(time)?.to_string());
        Ok(())
    }

    /// Writes a text: quoted, unless it ends with a backslash, which would escape the closing quotation mark.
    fn text(&mut self, text: &str) {
        if text.ends_with('\\') {
            // Without the zero it would be read as bytes.
            self.write("#0");
            let length = if self.for_jade { text.encode_utf16().count() } else { text.len() };
            self.counted(length, text.as_bytes());
        } else {
            self.quoted(text);
        }
    }

    fn quoted(&mut self, text: &str) {
        self.out.push(b'"');
        self.write(&text.replace('"', "\\\""));
        self.out.push(b'"');
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.out.push(b'#');
        self.counted(bytes.len(), bytes);
    }

    /// Writes bytes after their length, which the reader may count in another unit.
    fn counted(&mut self, length: usize, bytes: &[u8]) {
        self.write(&length.to_string());
        self.out.push(b'"');
        self.out.extend_from_slice(bytes);
    }

    /// Whether the reader accepts these characters without quotation marks.
    fn reads_bare(&self, letters: &str) -> bool {
        !self.for_jade || letters.bytes().all(|byte| matches!(byte, b'!'..=b'~' if byte != b'"'))
    }

    fn name(&mut self, parameter: Parameter) {
        self.write(" :");
        self.write(parameter.name());
        self.write(" ");
    }

    fn write(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }
}

/// The name of a parameter without its prefix.
fn unmarked<'a>(parameter: &'a UserParameter<'_>) -> &'a str {
    let name = parameter.name.as_str();
    if parameter.is_prefixed() { &name[2..] } else { name }
}

/// Returns the characters of a value for a platform that has only texts.
///
/// # Errors
/// Returns an error if the value has none.
pub(crate) fn letters<'v>(value: &'v Expression<'_>) -> Result<Cow<'v, str>, Unencodable> {
    let why = "which are not text, the only form that JADE reads here; write them in Base64";
    match value {
        Expression::Time(time) => Ok(checked(time)?.to_string().into()),
        Expression::List(_) => {
            let mut text = Vec::new();
            Writer { out: &mut text, for_jade: false }.expression(value, 0)?;
            String::from_utf8(text).map(Cow::Owned).map_err(|_| Unencodable::new("the value", "a list with bytes", why))
        }
        value => value.as_text().map(Cow::Borrowed).ok_or_else(|| Unencodable::new("the value", "bytes", why)),
    }
}
