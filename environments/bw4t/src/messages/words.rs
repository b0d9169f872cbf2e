//! The words of a sentence.

use std::borrow::Cow;

/// Characters that end a word besides blanks, and do not belong to it. Full stops can be inside a word but not at its
/// ends.
const PUNCTUATION: [char; 5] = [',', ';', ':', '?', '!'];

const APOSTROPHES: [char; 2] = ['\'', '’'];

const QUOTES: [char; 2] = ['\'', '"'];

/// Contractions: the letters after an apostrophe, and their meaning.
const CONTRACTIONS: [(&str, &str); 5] = [("re", "are"), ("m", "am"), ("ll", "will"), ("s", "is"), ("ve", "have")];

/// An unquoted word, or a name with its quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Word<'a> {
    Plain(&'a str),
    Quoted(&'a str),
}

/// The words of a text, in order. "Don't" is two words, "do" and "not".
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
    /// The second word of a contraction.
    pending: Option<&'static str>,
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { rest: text, pending: None }
    }

    /// Reads a name up to its closing quote, or to the end if there is none.
    fn quoted(&mut self, quote: char) -> Word<'a> {
        let mut end = quote.len_utf8();
        while let Some(position) = self.rest[end..].find(quote) {
            end += position + quote.len_utf8();
            if !self.rest[end..].starts_with(quote) {
                return Word::Quoted(self.take(end));
            }
            end += quote.len_utf8();
        }
        Word::Quoted(self.take(self.rest.len()))
    }

    fn plain(&mut self) -> Word<'a> {
        let end = self.rest.find(is_gap).unwrap_or(self.rest.len());
        let word = self.take(end).trim_end_matches('.');
        let Some((word, second)) = contraction(word) else { return Word::Plain(word) };
        self.pending = Some(second);
        Word::Plain(word)
    }

    fn take(&mut self, end: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        if let Some(second) = self.pending.take() {
            return Some(Word::Plain(second));
        }
        self.rest = self.rest.trim_start_matches(|c| is_gap(c) || c == '.');
        let first = self.rest.chars().next()?;
        Some(if QUOTES.contains(&first) { self.quoted(first) } else { self.plain() })
    }
}

impl<'a> Word<'a> {
    /// Returns it as a name, without the quotes; `None` if they are not closed.
    pub(super) fn name(self) -> Option<Cow<'a, str>> {
        let text = match self {
            Word::Plain(text) => return Some(Cow::Borrowed(text)),
            Word::Quoted(text) => text,
        };
        let quote = &text[..1];
        let inner = text[1..].strip_suffix(quote)?;
        let closed = inner.matches(quote).count() % 2 == 0;
        let doubled = [quote, quote].concat();
        closed.then(|| if inner.contains(quote) { inner.replace(&doubled, quote).into() } else { inner.into() })
    }

    /// Returns it as a word of the language; `None` for a quoted name.
    pub(super) fn plain(self) -> Option<&'a str> {
        match self {
            Word::Plain(text) => Some(text),
            Word::Quoted(_) => None,
        }
    }
}

/// Writes a name in a sentence, quoted unless it would be read as one word without quotes.
pub(super) fn write_name(sentence: &mut String, name: &str) {
    if Words::of(name).eq([Word::Plain(name)]) {
        sentence.push_str(name);
    } else {
        sentence.extend(["'", &name.replace('\'', "''"), "'"]);
    }
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || PUNCTUATION.contains(&c)
}

fn contraction(word: &str) -> Option<(&str, &'static str)> {
    let (first, second) = word.split_once(APOSTROPHES)?;
    if let Some(first) = first.strip_suffix(['n', 'N'])
        && second.eq_ignore_ascii_case("t")
    {
        return Some((first, "not"));
    }
    let (_, meaning) = CONTRACTIONS.iter().find(|(short, _)| second.eq_ignore_ascii_case(short))?;
    Some((first, meaning))
}

#[cfg(test)]
mod tests {
    use super::super::{Dialect, Message};

    #[test]
    fn quotes_names_that_are_not_plain_words() {
        let names = [
            ("Room-C.1", "I am in room Room-C.1"),
            ("Bob's room", "I am in room 'Bob''s room'"),
            ("'", "I am in room ''''"),
            ("", "I am in room ''"),
            ("it's", "I am in room 'it''s'"),
            ("don't", "I am in room 'don''t'"),
            ("etc.", "I am in room 'etc.'"),
        ];
        for (room, sentence) in names {
            let message = Message::InRoom { room: room.into() };
            assert_eq!(message.to_english(Dialect::Code), sentence);
            assert_eq!(Message::from_english(sentence), Ok(message));
        }
        assert!(Message::from_english("I am in room 'C1").is_err());
    }
}
