//! Menus: the choices of a person who acts through an entity. An environment offers what makes sense at a point, so
//! that a page for people need not know the environment. Choosing an item is an ordinary action.

use crate::data;
use crate::iil::{Action, EcoString, Percept};
use crate::ontology::typed::TypedAction;

/// A request for a menu.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MenuRequest {
    /// The point at which the person points, in units of the scene of their entity, from the left and from the
    /// bottom; `None` for choices without a point.
    pub at: Option<(f64, f64)>,
    /// A percept of the entity about which the person asks, such as a message. The subject of the menu is then the
    /// percept as a sentence, and the items are replies; an environment in which people cannot write offers an empty
    /// menu.
    pub about: Option<Percept>,
    /// A text that the person has typed; empty for none. The items are then what it can mean, and without items the
    /// subject says why it means nothing; an environment in which people cannot write offers an empty menu.
    pub text: EcoString,
    /// Whether other agents control the entity, too. They may want to be asked rather than bypassed.
    pub shared: bool,
}

impl From<Option<(f64, f64)>> for MenuRequest {
    fn from(at: Option<(f64, f64)>) -> Self {
        Self { at, ..Self::default() }
    }
}

/// Choices in the order in which a page shows them. An empty menu has no choices.
#[data]
#[cfg_attr(feature = "schema", schemars(bound = "A: schemars::JsonSchema", rename = "Menu"))]
pub struct Menu<A = Action> {
    /// The thing at the point, in a few words; without a point, the state of the entity. Empty for no thing.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub subject: EcoString,
    /// The choices.
    pub items: Vec<MenuItem<A>>,
}

/// A choice.
#[data]
#[cfg_attr(feature = "schema", schemars(bound = "A: schemars::JsonSchema", rename = "MenuItem"))]
pub struct MenuItem<A = Action> {
    /// The titles above it, the outermost first: `Tell`, `RoomC1 contains`.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub sections: Vec<EcoString>,
    /// Its text.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub label: EcoString,
    /// Whether it is offered without a menu: a click at the point does the first such item, and a page shows the
    /// others as buttons.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub direct: bool,
    /// The action.
    pub action: A,
}

impl<A> Default for Menu<A> {
    fn default() -> Self {
        Self { subject: EcoString::new(), items: Vec::new() }
    }
}

impl<A> MenuItem<A> {
    /// Creates a [`direct`](Self::direct) choice without titles.
    pub fn direct(label: impl Into<EcoString>, action: A) -> Self {
        Self { sections: Vec::new(), label: label.into(), direct: true, action }
    }
}

impl<A: TypedAction> Menu<A> {
    /// Translates the actions to terms.
    pub fn to_iil(self) -> Menu {
        let item = |MenuItem { sections, label, direct, action }: MenuItem<A>| {
            let action = action.to_iil();
            MenuItem { sections, label, direct, action }
        };
        Menu { subject: self.subject, items: self.items.into_iter().map(item).collect() }
    }
}
