//! Messages as they are read: parameters, agents, values.

use std::borrow::Cow;

use memchr::{memchr, memchr_iter};

use super::codes::{self, agent, list, parameter, value};
use super::half_bytes::{read_number, read_time};
use super::input::Input;
use super::{DecodeError, Reason, RepairKind};
use crate::agent_identifier::MAX_RESOLVER_DEPTH;
use crate::expression::MAX_DEPTH;
use crate::time::is_time;
use crate::word::is_address;
use crate::{AgentIdentifier, Content, Expression, Message, Number, Performative, Time, UserParameter, Word};

/// Reads a message, and nothing after it.
pub(super) fn read_message<'a>(input: &mut Input<'a>) -> Result<Message<'a>, DecodeError> {
    match input.byte("a message")? {
        codes::MESSAGE => {}
        found if codes::CODE_TABLE_MESSAGES.contains(&found) => return input.refuse(Reason::CodeTable(found)),
        found => return input.refuse(Reason::Unexpected { found, expected: "a message (FA)" }),
    }
    match input.byte("the version")? {
        codes::VERSION => {}
        version => return input.refuse(Reason::Version(version)),
    }
    let mut message = Message::new(read_act(input)?);
    let mut seen = 0;
    while input.goes_on() {
        read_parameter(input, &mut message, &mut seen)?;
    }
    Ok(message)
}

fn read_act(input: &mut Input<'_>) -> Result<Performative, DecodeError> {
    match input.byte("an act")? {
        codes::USER_DEFINED => input.refuse(Reason::UserDefinedAct),
        code => match Performative::with_code(code) {
            Some(act) => Ok(act),
            None => input.refuse(Reason::UnknownAct(code)),
        },
    }
}

/// Reads a parameter. Those that have been seen have their bit set.
fn read_parameter<'a>(input: &mut Input<'a>, message: &mut Message<'a>, seen: &mut u16) -> Result<(), DecodeError> {
    let code = input.byte("a parameter, or the end of the message")?;
    if code == codes::USER_DEFINED {
        message.user_parameters.push(read_user_parameter(input)?);
        return Ok(());
    }
    if code > parameter::CONVERSATION_ID {
        return input.refuse(Reason::UnknownParameter(code));
    }
    let bit = 1 << code;
    if *seen & bit != 0 {
        return input.refuse(Reason::Duplicate(name(code)));
    }
    *seen |= bit;
    match code {
        parameter::SENDER => message.sender = Some(read_agent(input, 0)?),
        parameter::RECEIVER => message.receivers = read_agents(input, 0)?,
        parameter::CONTENT => message.content = Some(read_content(input)?),
        parameter::REPLY_WITH => message.reply_with = Some(read_expression(input)?),
        parameter::REPLY_BY => message.reply_by = Some(read_time(input)?),
        parameter::IN_REPLY_TO => message.in_reply_to = Some(read_expression(input)?),
        parameter::REPLY_TO => message.reply_to = read_agents(input, 0)?,
        parameter::LANGUAGE => message.language = Some(read_expression(input)?),
        parameter::ENCODING => message.encoding = Some(read_expression(input)?),
        parameter::ONTOLOGY => message.ontology = Some(read_expression(input)?),
        parameter::PROTOCOL => message.protocol = Some(read_word(input)?),
        _ => message.conversation_id = Some(read_expression(input)?),
    }
    Ok(())
}

fn name(code: u8) -> &'static str {
    match code {
        parameter::SENDER => "sender",
        parameter::RECEIVER => "receiver",
        parameter::CONTENT => "content",
        parameter::REPLY_WITH => "reply-with",
        parameter::REPLY_BY => "reply-by",
        parameter::IN_REPLY_TO => "in-reply-to",
        parameter::REPLY_TO => "reply-to",
        parameter::LANGUAGE => "language",
        parameter::ENCODING => "encoding",
        parameter::ONTOLOGY => "ontology",
        parameter::PROTOCOL => "protocol",
        _ => "conversation-id",
    }
}

fn read_agents<'a>(input: &mut Input<'a>, depth: usize) -> Result<Vec<AgentIdentifier<'a>>, DecodeError> {
    let mut agents = Vec::new();
    while input.goes_on() {
        agents.push(read_agent(input, depth)?);
    }
    Ok(agents)
}

fn read_agent<'a>(input: &mut Input<'a>, depth: usize) -> Result<AgentIdentifier<'a>, DecodeError> {
    if depth > MAX_RESOLVER_DEPTH {
        return input.refuse(Reason::TooDeep("resolvers"));
    }
    input.expect(agent::IDENTIFIER, "an agent identifier (02)")?;
    let mut agent = AgentIdentifier::new(read_agent_name(input)?);
    if input.passes(agent::ADDRESSES) {
        while input.goes_on() {
            agent.addresses.push(read_address(input)?);
        }
    }
    if input.passes(agent::RESOLVERS) {
        agent.resolvers = read_agents(input, depth + 1)?;
    }
    while input.goes_on() {
        input.expect(agent::USER_PARAMETER, "a part of an agent identifier, or its end")?;
        agent.user_parameters.push(read_user_parameter(input)?);
    }
    Ok(agent)
}

/// A name that is no word stands in quotes, as in the string encoding.
fn read_agent_name<'a>(input: &mut Input<'a>) -> Result<Cow<'a, str>, DecodeError> {
    let at = input.at();
    match input.byte("the name of an agent")? {
        value::WORD => {
            let (name, is_word) = input.word()?;
            if !is_word {
                input.mend(at, RepairKind::NotAWord, Reason::NotAWord(name.into()))?;
            }
            Ok(name.into())
        }
        code => match read_string(input, code)? {
            Content::Text(name) => Ok(name),
            Content::Bytes(_) => Err(DecodeError { at, reason: Reason::NotUtf8 }),
        },
    }
}

fn read_address<'a>(input: &mut Input<'a>) -> Result<Cow<'a, str>, DecodeError> {
    let at = input.at();
    match input.byte("an address, or the end of the addresses")? {
        value::WORD => {}
        code @ value::WORD_INDEX => return input.refuse(Reason::CodeTable(code)),
        found => return input.refuse(Reason::Unexpected { found, expected: "an address (10)" }),
    }
    let address = input.text()?;
    if is_address(address) {
        Ok(address.into())
    } else {
        Err(DecodeError { at, reason: Reason::NotAnAddress(address.into()) })
    }
}

fn read_user_parameter<'a>(input: &mut Input<'a>) -> Result<UserParameter<'a>, DecodeError> {
    Ok(UserParameter { name: read_word(input)?, value: read_expression(input)? })
}

fn read_word<'a>(input: &mut Input<'a>) -> Result<Word<'a>, DecodeError> {
    let at = input.at();
    match input.byte("a word")? {
        value::WORD => {}
        code @ value::WORD_INDEX => return input.refuse(Reason::CodeTable(code)),
        found => return input.refuse(Reason::Unexpected { found, expected: "a word (10)" }),
    }
    let (text, is_word) = input.word()?;
    if is_word { Ok(Word::known(text)) } else { Err(DecodeError { at, reason: Reason::NotAWord(text.into()) }) }
}

fn read_content<'a>(input: &mut Input<'a>) -> Result<Content<'a>, DecodeError> {
    let code = input.byte("a content")?;
    read_string(input, code)
}

fn read_expression<'a>(input: &mut Input<'a>) -> Result<Expression<'a>, DecodeError> {
    match input.byte("a value")? {
        code if opens_list(code) => read_list(input, code),
        value::UNINTERPRETED => {
            let code = input.byte("a string")?;
            read_string(input, code).map(string)
        }
        code => read_value(input, code),
    }
}

fn opens_list(code: u8) -> bool {
    code == list::OPEN || code & list::KIND_MASK == list::OPEN_WITH
}

fn closes_list(code: u8) -> bool {
    code == list::CLOSE || code & list::KIND_MASK == list::CLOSE_WITH
}

/// Reads a list that a byte has opened. What is open is kept in a list here, since a value after the end of a list
/// belongs to the one around it.
fn read_list<'a>(input: &mut Input<'a>, code: u8) -> Result<Expression<'a>, DecodeError> {
    let mut outer = Vec::new();
    let mut current = Vec::new();
    read_announced(input, code, &mut current)?;
    loop {
        let code = input.byte("a value in a list, or its end")?;
        if opens_list(code) {
            if outer.len() + 1 == MAX_DEPTH {
                return input.refuse(Reason::TooDeep("lists"));
            }
            outer.push(std::mem::take(&mut current));
            read_announced(input, code, &mut current)?;
        } else if closes_list(code) {
            let Some(mut around) = outer.pop() else {
                return if code == list::CLOSE {
                    Ok(Expression::List(current))
                } else {
                    input.refuse(Reason::AfterList)
                };
            };
            around.push(Expression::List(current));
            current = around;
            read_announced(input, code, &mut current)?;
        } else {
            current.push(read_value(input, code)?);
        }
    }
}

/// Reads the value that the byte that opens or closes a list has announced, if it has.
fn read_announced<'a>(input: &mut Input<'a>, code: u8, items: &mut Vec<Expression<'a>>) -> Result<(), DecodeError> {
    let kind = code & !list::KIND_MASK;
    let kind = match kind {
        _ if code == list::OPEN || code == list::CLOSE => return Ok(()),
        // Of byte strings with a length of 32 bits alone, the code is another than that outside of lists.
        8 => value::BYTES_32,
        9 => value::BYTES_INDEX,
        0..8 => value::WORD | kind,
        _ => return input.refuse(Reason::Unexpected { found: code, expected: "a value in a list" }),
    };
    items.push(read_value(input, kind)?);
    Ok(())
}

/// Reads a value that is no list.
fn read_value<'a>(input: &mut Input<'a>, code: u8) -> Result<Expression<'a>, DecodeError> {
    match code {
        value::WORD => read_bare(input),
        value::NUMBER | value::HEXADECIMAL => read_number(input).map(Expression::Number),
        code => read_string(input, code).map(string),
    }
}

/// Reads a word or, as this encoding has no other form for them in values, a time.
fn read_bare<'a>(input: &mut Input<'a>) -> Result<Expression<'a>, DecodeError> {
    let at = input.at() - 1;
    let (text, is_word) = input.word()?;
    if is_word {
        return Ok(Expression::Word(Word::known(text)));
    }
    if is_time(text) {
        let time = Time::read(text.as_bytes()).map_err(|error| DecodeError { at, reason: error.into() })?;
        return Ok(Expression::Time(time));
    }
    input.mend(at, RepairKind::NotAWord, Reason::NotAWord(text.into()))?;
    Ok(Number::new(text).map_or_else(|_| Expression::String(text.into()), Expression::Number))
}

fn string(content: Content<'_>) -> Expression<'_> {
    match content {
        Content::Text(text) => Expression::String(text),
        Content::Bytes(bytes) => Expression::Bytes(bytes),
    }
}

/// Reads a string: text in quotes, or bytes.
fn read_string<'a>(input: &mut Input<'a>, code: u8) -> Result<Content<'a>, DecodeError> {
    match code {
        value::STRING => read_quoted(input),
        value::BYTES_8 | value::BYTES_16 | value::BYTES_32 => read_bytes(input, code),
        value::WORD_INDEX | value::STRING_INDEX | value::BYTES_INDEX => input.refuse(Reason::CodeTable(code)),
        found => input.refuse(Reason::Unexpected { found, expected: "a value" }),
    }
}

/// Reads bytes with their length. Those with a zero that are a text are one if the length is wider than it need be: the
/// form for texts cannot hold a zero.
fn read_bytes<'a>(input: &mut Input<'a>, code: u8) -> Result<Content<'a>, DecodeError> {
    let Counted { bytes, is_wide } = read_counted(input, code)?;
    if is_wide
        && memchr(0, bytes).is_some()
        && let Ok(text) = std::str::from_utf8(bytes)
    {
        return Ok(Content::Text(text.into()));
    }
    Ok(Content::Bytes(bytes.into()))
}

/// Bytes that had their length before them.
pub(crate) struct Counted<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether the length has more bytes than it need have.
    is_wide: bool,
}

/// Reads bytes with their length.
pub(crate) fn read_counted<'a>(input: &mut Input<'a>, code: u8) -> Result<Counted<'a>, DecodeError> {
    let (width, shortest) = match code {
        value::BYTES_8 => (1, 0),
        value::BYTES_16 => (2, 1 << 8),
        value::BYTES_32 => (4, 1 << 16),
        found => return input.refuse(Reason::Unexpected { found, expected: "a byte string" }),
    };
    let length = input.length(width)?;
    let bytes = input.bytes(length, "the rest of a byte string")?;
    Ok(Counted { bytes, is_wide: length < shortest })
}

fn read_quoted<'a>(input: &mut Input<'a>) -> Result<Content<'a>, DecodeError> {
    let at = input.at() - 1;
    let bytes = input.until_zero()?;
    let Some(text) = input.letters(at + 1, bytes.len()) else {
        input.mend(at, RepairKind::NotUtf8, Reason::NotUtf8)?;
        return Ok(Content::Bytes(bytes.into()));
    };
    let Some(text) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        input.mend(at, RepairKind::MissingQuotes, Reason::MissingQuotes)?;
        return Ok(Content::Text(text.into()));
    };
    if memchr(b'"', text.as_bytes()).is_none() {
        return Ok(Content::Text(text.into()));
    }
    let (text, has_bare_quote) = unescaped(text);
    if has_bare_quote {
        input.mend(at, RepairKind::BareQuote, Reason::BareQuote)?;
    }
    Ok(Content::Text(text.into()))
}

/// A text of which every quote has lost the backslash before it, and whether one had none.
fn unescaped(text: &str) -> (String, bool) {
    let mut plain = String::with_capacity(text.len());
    let mut has_bare_quote = false;
    let mut from = 0;
    for at in memchr_iter(b'"', text.as_bytes()) {
        let is_escaped = text.as_bytes()[..at].ends_with(b"\\");
        has_bare_quote |= !is_escaped;
        plain.push_str(&text[from..at - usize::from(is_escaped)]);
        from = at;
    }
    plain.push_str(&text[from..]);
    (plain, has_bare_quote)
}
