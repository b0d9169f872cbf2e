//! The grammar of messages, for strict and lenient reading. Where a text deviates from it, [`Parser::mend`] either
//! returns an error or notes a repair.

use super::error::{DecodeError, Read, Reason, Repair, RepairKind, Wanted, excerpt, nearest, nearest_act};
use super::lexer::{Grammar, Lexer, NO_BREAK_SPACE, Text};
use crate::agent_identifier::MOST_USER_PARAMETERS;
use crate::expression::MAX_LIST_DEPTH;
use crate::number::is_number;
use crate::parameter::Parameter;
use crate::word::is_word;
use crate::{Content, Expression, Message, NotATime, Number, Performative, Time, UserParameter, Word};

/// Reads messages.
pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    repairs: Vec<Repair>,
}

/// The name of a parameter, without its colon.
#[derive(Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) bytes: &'a [u8],
    /// The position of its colon.
    pub(super) at: usize,
}

impl<'a> Parser<'a> {
    /// Creates a parser by these rules. It repairs what it can, except by those of the standard.
    pub(super) fn new(text: &'a [u8], grammar: Grammar) -> Self {
        Self { lexer: Lexer::new(text, grammar), repairs: Vec::new() }
    }

    /// Reads exactly one message.
    pub(super) fn only_message(&mut self) -> Read<Message<'a>> {
        let message = self.message()?;
        match self.lexer.next() {
            None => Ok(message),
            Some(_) => Err(self.lexer.error(Reason::DataAfterEnd { found: self.lexer.found() })),
        }
    }

    /// Reads exactly one value.
    pub(super) fn only_expression(&mut self) -> Option<Expression<'a>> {
        let value = self.expression(0).ok()?;
        self.lexer.next().is_none().then_some(value)
    }

    /// Returns the repairs, in the order of the text.
    pub(super) fn into_repairs(self) -> Vec<Repair> {
        let mut repairs = self.repairs;
        repairs.extend(self.lexer.last_backslash.map(|at| Repair { at, kind: RepairKind::LastBackslash }));
        repairs.extend(self.lexer.no_break_space.map(|at| Repair { at, kind: RepairKind::NoBreakSpaces }));
        repairs.sort_by_key(|repair| repair.at);
        repairs
    }

    /// The next message.
    pub(super) fn message(&mut self) -> Read<Message<'a>> {
        if !self.lexer.takes(b'(') {
            return Err(self.lexer.unexpected(Wanted::Message));
        }
        let mut message = Message::new(self.act()?);
        let mut seen = Vec::new();
        while let Some(name) = self.next_parameter()? {
            match Parameter::named(name.bytes) {
                None => {
                    self.user_parameter(name, &mut message.user_parameters, &Parameter::ALL.map(Parameter::name))?
                }
                Some(parameter) if seen.contains(&parameter) => return Err(duplicate(name)),
                Some(parameter) => {
                    seen.push(parameter);
                    self.parameter(parameter, name, &mut message)?;
                }
            }
        }
        Ok(message)
    }

    fn act(&mut self) -> Read<Performative> {
        self.lexer.next();
        let run = self.lexer.run();
        let Some(act) = Performative::named(run) else {
            let name = self.lexer.found();
            return Err(self.lexer.error(Reason::UnknownAct { nearest: nearest_act(&name), name }));
        };
        self.lexer.at += run.len();
        Ok(act)
    }

    fn parameter(&mut self, parameter: Parameter, name: Name<'a>, message: &mut Message<'a>) -> Read<()> {
        // A content without quotation marks may begin with a colon.
        if parameter != Parameter::Content {
            self.need_value(name)?;
        }
        if let Some(value) = message.value_mut(parameter) {
            *value = Some(self.expression(0)?);
            return Ok(());
        }
        match parameter {
            Parameter::Sender => message.sender = Some(self.agent(0)?),
            Parameter::Receiver => message.receivers = self.agents()?,
            Parameter::ReplyTo => message.reply_to = self.agents()?,
            Parameter::Content => message.content = Some(self.content(name)?),
            Parameter::ReplyBy => message.reply_by = Some(self.time()?),
            _ => message.protocol = Some(self.word()?),
        }
        Ok(())
    }

    /// Reads the name of the next parameter. Returns `None` at the closing parenthesis, which is skipped.
    pub(super) fn next_parameter(&mut self) -> Read<Option<Name<'a>>> {
        let next = self.lexer.next();
        let at = self.lexer.at;
        match next {
            Some(b':') => {
                let run = self.lexer.run();
                self.lexer.at += run.len();
                Ok(Some(Name { bytes: &run[1..], at }))
            }
            Some(b')') => {
                self.lexer.at += 1;
                Ok(None)
            }
            _ => Err(self.lexer.unexpected(Wanted::Parameter)),
        }
    }

    /// Moves to the value of this parameter. A value does not begin with a colon, so that a missing one is detected.
    /// Only the values of JADE may.
    pub(super) fn need_value(&mut self, name: Name<'a>) -> Read<()> {
        match self.lexer.next() {
            Some(b':') if self.lexer.grammar.is_of_jade() => self.note(self.lexer.at, RepairKind::ColonValue),
            Some(b')' | b':') => return Err(missing_value(name)),
            _ => {}
        }
        Ok(())
    }

    /// Whether a parameter of the standard, or one marked as a user parameter, begins here.
    pub(super) fn is_at_parameter(&self) -> bool {
        self.lexer.run().strip_prefix(b":").is_some_and(is_known)
    }

    /// Reads a parameter that is not one of the `known` parameters of the standard.
    pub(super) fn user_parameter(
        &mut self,
        name: Name<'a>,
        others: &mut Vec<UserParameter<'a>>,
        known: &[&'static str],
    ) -> Read<()> {
        let word = self.user_parameter_name(name, known)?;
        if others.len() == MOST_USER_PARAMETERS {
            let reason = Reason::TooManyParameters { most: MOST_USER_PARAMETERS };
            return Err(DecodeError::new(name.at, reason));
        }
        if others.iter().any(|other| other.name.as_str().eq_ignore_ascii_case(word.as_str())) {
            return Err(duplicate(name));
        }
        self.need_value(name)?;
        let value = self.expression(0)?;
        others.push(UserParameter { name: word, value });
        Ok(())
    }

    fn user_parameter_name(&mut self, name: Name<'a>, known: &[&'static str]) -> Read<Word<'a>> {
        let letters = self.lexer.letters(name.at + ":".len(), name.bytes.len())?;
        if !is_marked(name.bytes) {
            let reason = || {
                let name = excerpt(name.bytes);
                Reason::UnknownParameter { nearest: nearest(&name, known.iter().copied()), name }
            };
            if !is_word(letters) {
                return Err(DecodeError::new(name.at, reason()));
            }
            self.mend(name.at, RepairKind::UnknownParameter, |_| reason())?;
        }
        Ok(Word::known(letters))
    }

    fn content(&mut self, name: Name<'a>) -> Read<Content<'a>> {
        self.lexer.next();
        if !self.lexer.is_at_string() {
            if self.lexer.grammar == Grammar::Standard {
                self.need_value(name)?;
            }
            self.mend(self.lexer.at, RepairKind::UnquotedContent, |lexer| lexer.unexpected(Wanted::Text).reason)?;
            return self.unquoted_content(name).map(Content::from);
        }
        Ok(match self.lexer.string()? {
            Text::Letters(letters) => Content::Text(letters),
            Text::Bytes(bytes) => Content::Bytes(bytes),
        })
    }

    /// Reads a value at this depth of lists.
    fn expression(&mut self, depth: usize) -> Read<Expression<'a>> {
        match self.lexer.next() {
            Some(b'(') => self.list(depth),
            Some(b'"' | b'#') if self.lexer.is_at_string() => Ok(match self.lexer.string()? {
                Text::Letters(letters) => Expression::String(letters),
                Text::Bytes(bytes) => Expression::Bytes(bytes),
            }),
            None | Some(b')') => Err(self.lexer.unexpected(Wanted::Value)),
            Some(_) => self.atom(),
        }
    }

    fn list(&mut self, depth: usize) -> Read<Expression<'a>> {
        if depth == MAX_LIST_DEPTH {
            return Err(self.lexer.error(Reason::TooDeep { most: MAX_LIST_DEPTH }));
        }
        self.lexer.at += 1;
        let mut values = Vec::new();
        while !self.lexer.takes(b')') {
            values.push(self.expression(depth + 1)?);
        }
        Ok(Expression::List(values))
    }

    /// Reads a word, a number or a time.
    fn atom(&mut self) -> Read<Expression<'a>> {
        let at = self.lexer.at;
        let letters = self.lexer.take_letters(self.lexer.run().len())?;
        if is_word(letters) {
            return Ok(Expression::Word(Word::known(letters)));
        }
        if is_number(letters) {
            return Ok(Expression::Number(Number::known(letters)));
        }
        if let Some(time) = self.time_of(letters, at)? {
            return Ok(Expression::Time(time));
        }
        self.mend(at, RepairKind::UnquotedText, |_| unexpected(Wanted::Value, letters))?;
        Ok(Expression::String(letters.into()))
    }

    fn word(&mut self) -> Read<Word<'a>> {
        let at = self.lexer.at;
        let letters = self.lexer.take_letters(self.lexer.run().len())?;
        if is_word(letters) {
            return Ok(Word::known(letters));
        }
        self.lexer.at = at;
        Err(self.lexer.unexpected(Wanted::Word))
    }

    fn time(&mut self) -> Read<Time> {
        let at = self.lexer.at;
        let letters = self.lexer.take_letters(self.lexer.run().len())?;
        let time = self.time_of(letters, at)?;
        time.ok_or_else(|| {
            self.lexer.at = at;
            self.lexer.unexpected(Wanted::Time)
        })
    }

    /// Parses these characters as a time, if they look like one.
    fn time_of(&self, letters: &'a str, at: usize) -> Read<Option<Time>> {
        match Time::read(letters.as_bytes()) {
            Ok(time) => Ok(Some(time)),
            Err(NotATime::Form(_)) => Ok(None),
            Err(NotATime::Range { text, what, value }) => {
                Err(DecodeError::new(at, Reason::NoSuchTime { found: text, part: what, value }))
            }
        }
    }

    /// Handles a deviation from the grammar: notes the repair when reading leniently, and otherwise returns the
    /// error.
    pub(super) fn mend(&mut self, at: usize, kind: RepairKind, reason: impl FnOnce(&Lexer<'a>) -> Reason) -> Read<()> {
        if self.lexer.grammar == Grammar::Standard {
            return Err(DecodeError::new(at, reason(&self.lexer)));
        }
        self.note(at, kind);
        Ok(())
    }

    pub(super) fn note(&mut self, at: usize, kind: RepairKind) {
        self.repairs.push(Repair { at, kind });
    }
}

/// Whether a name belongs to the standard, or is marked as a user parameter.
pub(super) fn is_known(name: &[u8]) -> bool {
    Parameter::named(name).is_some() || is_marked(name)
}

/// Whether a name is marked as a user parameter.
fn is_marked(name: &[u8]) -> bool {
    matches!(name, [b'X' | b'x', b'-', ..])
}

pub(super) fn unexpected(wanted: Wanted, found: &str) -> Reason {
    Reason::Unexpected { wanted, found: excerpt(found.as_bytes()) }
}

pub(super) fn duplicate(name: Name<'_>) -> DecodeError {
    DecodeError::new(name.at, Reason::Duplicate { name: excerpt(name.bytes) })
}

pub(super) fn missing_value(name: Name<'_>) -> DecodeError {
    DecodeError::new(name.at, Reason::MissingValue { name: excerpt(name.bytes) })
}

impl<'a> Parser<'a> {
    /// Reads everything up to the parenthesis that closes the message, or to the next parameter outside all
    /// parentheses. Text in parentheses is not parsed, but parentheses in quoted texts do not count.
    pub(super) fn unquoted_content(&mut self, name: Name<'a>) -> Read<&'a str> {
        let start = self.lexer.at;
        if let Some(at) = self.go_to_end_of_unquoted()? {
            self.note(at, RepairKind::NestedParameters);
        }
        let end = start + without_blanks_behind(&self.lexer.input[start..self.lexer.at]).len();
        if end == start {
            return Err(missing_value(name));
        }
        self.lexer.at = start;
        self.lexer.take_letters(end - start)
    }

    /// Returns the position of the first parentheses that contain parameters.
    fn go_to_end_of_unquoted(&mut self) -> Read<Option<usize>> {
        let mut depth = 0_usize;
        let mut opened = self.lexer.at;
        let mut nested = None;
        loop {
            match self.lexer.input.get(self.lexer.at) {
                None if depth == 0 => return Ok(nested),
                None => return Err(DecodeError::new(opened, Reason::UnclosedParenthesis)),
                Some(b'(') => {
                    if depth == 0 {
                        opened = self.lexer.at;
                    }
                    depth += 1;
                }
                Some(b')') if depth == 0 => return Ok(nested),
                Some(b')') => depth -= 1,
                Some(b'"') if depth > 0 => {
                    self.lexer.skip_quoted()?;
                    continue;
                }
                Some(b':') if self.follows_blank() && self.is_at_parameter() => {
                    if depth == 0 {
                        return Ok(nested);
                    }
                    nested.get_or_insert(opened);
                }
                Some(_) => {}
            }
            self.lexer.at += 1;
        }
    }

    fn follows_blank(&self) -> bool {
        let before = &self.lexer.input[..self.lexer.at];
        before.last().is_some_and(|byte| *byte <= b' ') || before.ends_with(NO_BREAK_SPACE)
    }
}

fn without_blanks_behind(mut bytes: &[u8]) -> &[u8] {
    loop {
        bytes = match bytes {
            [rest @ .., 0..=b' '] => rest,
            _ => match bytes.strip_suffix(NO_BREAK_SPACE) {
                Some(rest) => rest,
                None => return bytes,
            },
        }
    }
}
