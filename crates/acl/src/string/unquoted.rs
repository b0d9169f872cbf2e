//! Contents that should stand in quotes and do not, which only lenient reading knows.

use super::error::{DecodeError, Read, Reason};
use super::lexer::NO_BREAK_SPACE;
use super::parser::{Name, Parser, missing_value};
use super::repair::RepairKind;

impl<'a> Parser<'a> {
    /// Everything up to the parenthesis that closes the message, or to the next parameter outside all parentheses. What
    /// stands in parentheses is not looked into, but for texts in quotes, whose parentheses do not count.
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

    /// Returns where the first parentheses open that have parameters in them.
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
