//! Messages as terms of IIL.

use std::borrow::Cow;

use situated::iil::{EcoString, Function, Parameter};

use super::grammar::{self, Filling, Variable};

/// The placeholder for the sender in patterns.
const ME: &str = "Me";

/// The placeholder that is written for a value that is asked for or not given; the specification's word.
const UNKNOWN: &str = "_";

/// The placeholders that are read: those of the specification and of the code.
const UNKNOWNS: [&str; 2] = [UNKNOWN, "unknown"];

/// The rest of a pattern: a name, or a function with patterns.
struct Pattern(&'static str);

/// Fills the variables of a pattern; returns `None` if a value is missing.
pub(super) fn write(pattern: &'static str, filling: &Filling<'_>, me: &str) -> Option<Parameter> {
    Pattern(pattern).write(filling, me)
}

/// Matches a term. Returns the values of the pattern's variables.
pub(super) fn read<'a>(pattern: &'static str, term: &'a Parameter, sender: &str) -> Option<Filling<'a>> {
    let mut filling = Filling::default();
    Pattern(pattern).read(term, sender, &mut filling)?;
    Some(filling)
}

impl Pattern {
    fn write(&mut self, filling: &Filling<'_>, me: &str) -> Option<Parameter> {
        let name = self.name();
        if !self.skip('(') {
            return write_name(name, filling, me);
        }
        let mut function = Function::new(name, []);
        loop {
            function.parameters.push(self.write(filling, me)?);
            if !self.skip(',') {
                break;
            }
        }
        self.skip(')');
        Some(function.into())
    }

    /// Returns `None` if the term does not match.
    fn read<'a>(&mut self, term: &'a Parameter, sender: &str, filling: &mut Filling<'a>) -> Option<()> {
        let name = self.name();
        if !self.skip('(') {
            return read_name(name, term, sender, filling);
        }
        let Parameter::Function(function) = term else { return None };
        let mut parameters = function.parameters.iter();
        loop {
            self.read(parameters.next()?, sender, filling)?;
            if !self.skip(',') {
                break;
            }
        }
        self.skip(')');
        (function.name == name && parameters.next().is_none()).then_some(())
    }

    fn name(&mut self) -> &'static str {
        let (name, rest) = self.0.split_at(self.0.find(['(', ',', ')']).unwrap_or(self.0.len()));
        self.0 = rest;
        name
    }

    fn skip(&mut self, c: char) -> bool {
        let rest = self.0.strip_prefix(c);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }
}

fn write_name(name: &str, filling: &Filling<'_>, me: &str) -> Option<Parameter> {
    let Some(variable) = Variable::find(name) else {
        return Some(if name == ME { me.into() } else { name.into() });
    };
    match variable {
        Variable::Room => filling.room.as_deref().map(Parameter::from),
        Variable::Player => filling.player.as_deref().map(Parameter::from),
        Variable::Color => filling.color.map(|color| color.name().into()),
        Variable::Number => filling.number.map(|number| i64::from(number).into()),
        Variable::Block => filling.block.map(|block| i64::from(block).into()),
    }
}

fn read_name<'a>(name: &str, term: &'a Parameter, sender: &str, filling: &mut Filling<'a>) -> Option<()> {
    let Some(variable) = Variable::find(name) else {
        let identifier = identifier(term)?;
        let same = match name {
            ME => identifier == sender,
            UNKNOWN => UNKNOWNS.contains(&identifier.as_str()),
            _ => identifier == name,
        };
        return same.then_some(());
    };
    match variable {
        Variable::Room => filling.room = Some(name_of(term)?),
        Variable::Player => filling.player = Some(name_of(term)?),
        Variable::Color => filling.color = Some(grammar::color(identifier(term)?)?),
        Variable::Number => filling.number = Some(number(term)?),
        Variable::Block => filling.block = Some(number(term)?),
    }
    Some(())
}

/// Agents write terms without parameters in either way: `yes` and `yes()`.
fn identifier(term: &Parameter) -> Option<&EcoString> {
    match term {
        Parameter::Identifier(name) => Some(name),
        Parameter::Function(function) if function.parameters.is_empty() => Some(&function.name),
        _ => None,
    }
}

fn name_of(term: &Parameter) -> Option<Cow<'_, str>> {
    let Parameter::Identifier(name) = term else { return None };
    (!UNKNOWNS.contains(&name.as_str())).then_some(Cow::Borrowed(name))
}

/// Some agents have only floats, so `3.0` is accepted.
fn number(term: &Parameter) -> Option<u32> {
    let Parameter::Numeral(numeral) = term else { return None };
    let number = numeral.as_f64() as u32;
    (f64::from(number) == numeral.as_f64()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::super::Message;
    use super::*;

    fn parse(term: &str) -> Parameter {
        term.parse().expect("a term")
    }

    #[test]
    fn the_meaning_of_a_term_depends_on_its_sender() {
        let read = |term: &str, sender: &str| Message::from_term(&parse(term), sender).expect(term);
        assert_eq!(read("imp(in(Bob,RoomC1))", "Bob"), Message::GoingToRoom { room: "RoomC1".into() });
        let request = Message::GoToRoom { player: "Bob".into(), room: "RoomC1".into() };
        assert_eq!(read("imp(in(Bob,RoomC1))", "Eve"), request);
        assert_eq!(read("imp(putDown(Bob))", "Bob"), Message::AboutToDropOffBlock { color: None });
        assert_eq!(read("imp(putDown(Bob))", "Eve"), Message::PutDown { player: "Bob".into() });
    }

    #[test]
    fn variables_are_not_names() {
        let error = Message::from_term(&parse("imp(in(_,RoomC1))"), "Bob").unwrap_err();
        assert_eq!(error.to_string(), r#""imp(in('_','RoomC1'))" is no message"#);
    }
}
