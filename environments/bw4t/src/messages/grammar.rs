//! The parts of the table of messages.
//!
//! Patterns are texts with variables: `I am in room <Room>` for sentences, and `in(Me,Room)` for terms. In terms, `_`
//! stands for a value that is asked for or not given.

use std::borrow::Cow;

use situated::iil::EcoString;

use super::Dialect;
use crate::Color;

/// The patterns of one type of message. The first pattern whose variables all have values is written, so patterns
/// with optional parts come first.
pub(super) struct Row<Kind> {
    pub(super) kind: Kind,
    pub(super) terms: &'static [&'static str],
    pub(super) specification: &'static [&'static str],
    /// The code's sentences, if they differ from the specification's.
    pub(super) code: &'static [&'static str],
    /// Sentences that are read but never written.
    pub(super) also: &'static [&'static str],
}

/// The parameters of a message: those of the original's `BW4TMessage`, and the number of a block.
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
    /// The type of the parameter.
    type Part<'a>
    where
        Self: 'a;

    fn part(&self) -> Option<Self::Part<'_>>;

    /// Returns `None` if a required parameter is missing.
    fn new(part: Option<Self::Part<'_>>) -> Option<Self>;
}

impl<Kind> Row<Kind> {
    /// Returns the sentences that are written.
    pub(super) fn written(&self, dialect: Dialect) -> &'static [&'static str] {
        if dialect == Dialect::Code && !self.code.is_empty() { self.code } else { self.specification }
    }

    /// Returns the sentences that are read.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &'static str> {
        self.specification.iter().chain(self.code).chain(self.also).copied()
    }
}

impl Variable {
    /// Returns the variable with this name.
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

/// Returns the colour with this name, ignoring case: a colour of blocks, or their appearance to a colour-blind robot.
pub(super) fn color(name: &str) -> Option<Color> {
    let dark = Color::DarkGray;
    Color::find(name).or_else(|| dark.name().eq_ignore_ascii_case(name).then_some(dark))
}

/// Generates the type of messages, and the rows by which they are written and read, from a table.
macro_rules! messages {
    (@room) => { "The room, or any other place." };
    (@player) => { "The addressed or mentioned player." };
    (@color) => { "The colour of the block." };
    (@number) => { "The number of blocks." };
    (@block) => { "The number of the block." };
    ($(
        $(#[$documentation:meta])*
        $Name:ident $({ $($field:ident: $Type:ty),+ })?
            terms $($term:literal)|+
            specification $($specification:literal)|+
            $(code $($code:literal)|+)?
            $(also $($also:literal)|+)?;
    )+) => {
        /// A message from one player to another. In the descriptions, "I" is the sender.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Message {$(
            $(#[$documentation])*
            $Name $({
                $(#[doc = $crate::messages::grammar::messages!(@ $field)] $field: $Type),+
            })?,
        )+}

        /// The type of a message, which identifies its row.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Kind {
            $($Name),+
        }

        /// All rows, in the order of their kinds. Terms are matched in this order: messages about the sender come
        /// before messages about any player.
        pub(super) const ROWS: &[Row<Kind>] = &[$(Row {
            kind: Kind::$Name,
            terms: &[$($term),+],
            specification: &[$($specification),+],
            code: &[$($($code),+)?],
            also: &[$($($also),+)?],
        }),+];

        impl Message {
            /// Returns the type and the parameters of the message.
            pub(super) fn parts(&self) -> (Kind, Filling<'_>) {
                match self {$(
                    Message::$Name { $($($field),+)? } => {
                        (Kind::$Name, Filling { $($($field: $field.part(),)+)? ..Filling::default() })
                    }
                )+}
            }

            /// Creates the message from its type and parameters; `None` if a parameter is missing.
            pub(super) fn new(kind: Kind, filling: Filling<'_>) -> Option<Message> {
                Some(match kind {$(
                    Kind::$Name => Message::$Name { $($($field: Field::new(filling.$field)?),+)? },
                )+})
            }
        }
    };
}
pub(super) use messages;
