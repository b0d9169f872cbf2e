//! The goods, and their XML in the words of the tutorial *ACL & Protocols*.

use std::fmt;

use situated_acl::content::xml;
use situated_acl::{Content, Message};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Product {
    Plums,
    Peaches,
}

impl Product {
    pub(crate) const ALL: [Product; 2] = [Product::Plums, Product::Peaches];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Product::Plums => "plums",
            Product::Peaches => "peaches",
        }
    }

    /// The first product that a content names.
    pub(crate) fn in_content(content: &Content<'_>) -> Option<Product> {
        let name = xml::element(content, "product")?;
        Product::ALL.into_iter().find(|product| product.name() == name)
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A number of boxes of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lot {
    pub(crate) product: Product,
    pub(crate) boxes: u32,
}

impl Lot {
    /// Returns the content of a call for this lot.
    pub(crate) fn wanted(self) -> String {
        self.proposal("")
    }

    /// Returns the offer of a seller for this price.
    pub(crate) fn offered(self, price: u32) -> String {
        self.proposal(&format!("<price>{price}</price>"))
    }

    fn proposal(self, price: &str) -> String {
        let Lot { product, boxes } = self;
        format!(
            "<proposal><product>{product}</product><transaction>sell</transaction>\
             <unit>box</unit><quantity>{boxes}</quantity>{price}</proposal>"
        )
    }

    /// Returns the lot that a message calls for or offers.
    pub(crate) fn in_message(message: &Message<'_>) -> Option<Lot> {
        let content = message.content.as_ref()?;
        let boxes = xml::element(content, "quantity")?.parse().ok()?;
        Some(Lot { product: Product::in_content(content)?, boxes })
    }
}

impl fmt::Display for Lot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} boxes of {}", self.boxes, self.product)
    }
}

/// Returns the price in coins that a message offers.
pub(crate) fn price_in(message: &Message<'_>) -> Option<u32> {
    xml::element(message.content.as_ref()?, "price")?.parse().ok()
}

/// The reason that a message gives.
pub(crate) fn reason_in<'a>(message: &'a Message<'_>) -> &'a str {
    message.content.as_ref().and_then(|content| xml::element(content, "reason")).unwrap_or("no reason given")
}
