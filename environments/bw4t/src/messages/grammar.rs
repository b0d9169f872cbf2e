//! The parts of the table of messages.
//!
//! Patterns are texts with variables: `I am in room <Room>` for sentences, and `in(Me,Room)` for terms, in which `_` is
//! what is asked for or not said.

use std::borrow::Cow;

use situated::iil::EcoString;

use super::Dialect;
use crate::Color;

/// How one type of message, told by its kind, is written and read. Of several patterns the first for which the message has all parts is
/// written, so those with optional parts come first.
pub(super) struct Row<Kind> {
    pub(super) kind: Kind,
    pub(super) terms: &'static [&'static str],
    pub(super) specification: &'static [&'static str],
    /// The code's sentences, if they are others than the specification's.
    pub(super) code: &'static [&'static str],
    /// Sentences that are only read.
    pub(super) also: &'static [&'static str],
}

/// The parameters of a message: the parts of the original's `BW4TMessage`, and the number of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Filling<'a> {
    pub(super) room: Option<Cow<'a, str>>,
    pub(super) player: Option<Cow<'a, str>>,
    pub(super) color: Option<Color>,
    pub(super) number: Option<u32>,
    pub(super) block: Option<u32>,
}

/// A placeholder for a parameter in patterns.
#[derive(Clone, Copy)]
pub(super) enum Variable {
    Room,
    Player,
    Color,
    Number,
    Block,
}

/// The type of a message's field.
pub(super) trait Field: Sized {
    /// As a filling has it.
    type Part<'a>
    where
        Self: 'a;

    fn part(&self) -> Option<Self::Part<'_>>;

    /// None if it has to be said and is not.
    fn new(part: Option<Self::Part<'_>>) -> Option<Self>;
}

impl<Kind> Row<Kind> {
    /// The sentences that are written.
    pub(super) fn written(&self, dialect: Dialect) -> &'static [&'static str] {
        if dialect == Dialect::Code && !self.code.is_empty() { self.code } else { self.specification }
    }

    /// The sentences that are read.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &'static str> {
        self.specification.iter().chain(self.code).chain(self.also).copied()
    }
}

impl Variable {
    /// The one that is so called.
    pub(super) fn find(name: &str) -> Option<Variable> {
        Some(match name {
            "Room" => Variable::Room,
            "Player" => Variable::Player,
            "Color" => Variable::Color,
            "Number" => Variable::Number,
            "Block" => Variable::Block,
            _ => return None,
        })
    }
}

impl Field for EcoString {
    type Part<'a> = Cow<'a, str>;

    fn part(&self) -> Option<Cow<'_, str>> {
        Some(Cow::Borrowed(self))
    }

    fn new(part: Option<Cow<'_, str>>) -> Option<Self> {
        part.map(EcoString::from)
    }
}

impl Field for Color {
    type Part<'a> = Color;

    fn part(&self) -> Option<Color> {
        Some(*self)
    }

    fn new(part: Option<Color>) -> Option<Self> {
        part
    }
}

impl Field for u32 {
    type Part<'a> = u32;

    fn part(&self) -> Option<u32> {
        Some(*self)
    }

    fn new(part: Option<u32>) -> Option<Self> {
        part
    }
}

impl<F: Field> Field for Option<F> {
    type Part<'a>
        = F::Part<'a>
    where
        F: 'a;

    fn part(&self) -> Option<F::Part<'_>> {
        self.as_ref().and_then(F::part)
    }

    fn new(part: Option<F::Part<'_>>) -> Option<Self> {
        match part {
            None => Some(None),
            said => F::new(said).map(Some),
        }
    }
}

/// The colour of this name, in capital letters or small ones: one that blocks can have, or what a colour-blind robot
/// sees of them.
pub(super) fn color(name: &str) -> Option<Color> {
    let dark = Color::DarkGray;
    Color::find(name).or_else(|| dark.name().eq_ignore_ascii_case(name).then_some(dark))
}

/// Makes of a table of messages their type and the rows by which they are written and read.
macro_rules! messages {
    (@room) => { "The room, or any other place." };
    (@player) => { "Who is spoken to, or spoken of." };
    (@color) => { "The colour of the block." };
    (@number) => { "How many blocks." };
    (@block) => { "The number of the block." };
    ($(
        $(#[$documentation:meta])*
        $Name:ident $({ $($field:ident: $Type:ty),+ })?
            terms $($term:literal)|+
            specification $($specification:literal)|+
            $(code $($code:literal)|+)?
            $(also $($also:literal)|+)?;
    )+) => {
        /// What one player can say to another. "I" in what follows is the sender.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Message {$(
            $(#[$documentation])*
            $Name $({
                $(#[doc = $crate::messages::grammar::messages!(@ $field)] $field: $Type),+
            })?,
        )+}

        /// The type of a message, by which its row is found.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            $($Name),+
        }

        /// All messages, each at the place of its kind. Terms are read in this order: what is said by the sender of
        /// himself comes before what is said of anybody.
        pub(super) const ROWS: &[Row<Kind>] = &[$(Row {
            kind: Kind::$Name,
            terms: &[$($term),+],
            specification: &[$($specification),+],
            code: &[$($($code),+)?],
            also: &[$($($also),+)?],
        }),+];

        impl Message {
            /// The type of the message, and what it says apart from it.
            pub(super) fn parts(&self) -> (Kind, Filling<'_>) {
                match self {$(
                    Message::$Name { $($($field),+)? } => {
                        (Kind::$Name, Filling { $($($field: $field.part(),)+)? ..Filling::default() })
                    }
                )+}
            }

            /// The message of this type that says this; none if something is missing.
            pub(super) fn new(kind: Kind, filling: Filling<'_>) -> Option<Message> {
                Some(match kind {$(
                    Kind::$Name => Message::$Name { $($($field: Field::new(filling.$field)?),+)? },
                )+})
            }
        }
    };
}
pub(super) use messages;
