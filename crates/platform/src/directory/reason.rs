//! The reasons for which the directory does not do what it was asked for (SC00023, section 6.3).

use situated_acl::{Expression, Performative};

use super::reading::word;

/// A reason, and the act that states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) act: Performative,
    pub(crate) proposition: Expression<'static>,
}

impl Reason {
    pub(crate) fn unsupported_act(act: Performative) -> Self {
        Self::not_understood("unsupported-act", act.to_string())
    }

    pub(crate) fn unsupported_value(parameter: &str) -> Self {
        Self::not_understood("unsupported-value", parameter.into())
    }

    pub(crate) fn unrecognised_value(parameter: &str) -> Self {
        Self::not_understood("unrecognised-value", parameter.into())
    }

    pub(crate) fn unsupported_function(name: &str) -> Self {
        Self::refuse(vec![word("unsupported-function"), name.to_owned().into()])
    }

    pub(crate) fn missing_argument(name: &'static str) -> Self {
        Self::refuse(vec![word("missing-argument"), word(name)])
    }

    pub(crate) fn missing_parameter(of: &'static str, name: &'static str) -> Self {
        Self::refuse(vec![word("missing-parameter"), word(of), word(name)])
    }

    pub(crate) fn unrecognised_parameter_value(of: &'static str, name: &'static str) -> Self {
        Self::refuse(vec![word("unrecognised-parameter-value"), word(of), word(name)])
    }

    pub(crate) fn unauthorised() -> Self {
        Self { act: Performative::Refuse, proposition: word("unauthorised") }
    }

    pub(crate) fn already_registered() -> Self {
        Self { act: Performative::Failure, proposition: word("already-registered") }
    }

    pub(crate) fn not_registered() -> Self {
        Self { act: Performative::Failure, proposition: word("not-registered") }
    }

    pub(crate) fn internal_error(text: &'static str) -> Self {
        let proposition = vec![word("internal-error"), Expression::String(text.into())].into();
        Self { act: Performative::Failure, proposition }
    }

    pub(crate) fn no_room() -> Self {
        Self::internal_error("what you keep in the directory takes as much of it as it leaves free for others")
    }

    fn refuse(proposition: Vec<Expression<'static>>) -> Self {
        Self { act: Performative::Refuse, proposition: proposition.into() }
    }

    fn not_understood(name: &'static str, value: String) -> Self {
        Self { act: Performative::NotUnderstood, proposition: vec![word(name), value.into()].into() }
    }
}
