//! What people can choose who act through an entity: an environment says what makes sense where somebody points, so
//! that a page or window for people knows no environment. Choosing an item is acting, as any agent acts.

use serde::{Deserialize, Serialize};

use crate::iil::{Action, EcoString};
use crate::ontology::typed::TypedAction;

/// For which menu somebody asks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MenuRequest {
    /// Where they point, in units of the scene of their entity, from the left and from below; none for what can be
    /// chosen without pointing.
    pub at: Option<(f64, f64)>,
    /// Whether other agents have the entity too, who may want to be asked rather than bypassed.
    pub shared: bool,
}

/// What can be chosen, in the order in which it is to be shown. An empty menu says that there is nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(bound = "A: schemars::JsonSchema", rename = "Menu"))]
pub struct Menu<A = Action> {
    /// What was pointed at, in a few words; empty if that is nothing.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub subject: EcoString,
    /// What can be chosen.
    pub items: Vec<MenuItem<A>>,
}

/// Something that can be chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(bound = "A: schemars::JsonSchema", rename = "MenuItem"))]
pub struct MenuItem<A = Action> {
    /// The titles under which it stands, the outermost first: `Tell`, `RoomC1 contains`.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub sections: Vec<EcoString>,
    /// What it says.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub label: EcoString,
    /// What is done when it is chosen.
    pub action: A,
}

impl<A> Default for Menu<A> {
    fn default() -> Self {
        Self { subject: EcoString::new(), items: Vec::new() }
    }
}

impl<A: TypedAction> Menu<A> {
    /// The same with its actions as terms.
    pub fn to_iil(self) -> Menu {
        let item = |MenuItem { sections, label, action }: MenuItem<A>| {
            let action = action.to_iil();
            MenuItem { sections, label, action }
        };
        Menu { subject: self.subject, items: self.items.into_iter().map(item).collect() }
    }
}
