//! The possessions of an agent. Each agent keeps books of its own, and updates them from its messages alone.

use std::collections::BTreeMap;

use crate::goods::{Lot, Product};

#[derive(Clone, Debug, Default)]
pub(crate) struct Books {
    /// Coins.
    pub(crate) money: u32,
    stock: BTreeMap<Product, u32>,
    pub(crate) trades: Vec<Trade>,
}

/// Something that was delivered and paid.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Trade {
    pub(crate) buyer: String,
    pub(crate) seller: String,
    pub(crate) lot: Lot,
    pub(crate) price: u32,
}

impl Books {
    pub(crate) fn with_money(money: u32) -> Self {
        Self { money, ..Self::default() }
    }

    pub(crate) fn with_stock(stock: impl IntoIterator<Item = Lot>) -> Self {
        Self { stock: stock.into_iter().map(|lot| (lot.product, lot.boxes)).collect(), ..Self::default() }
    }

    /// Returns the number of boxes of a product.
    pub(crate) fn boxes(&self, product: Product) -> u32 {
        self.stock.get(&product).copied().unwrap_or(0)
    }

    pub(crate) fn has(&self, lot: Lot) -> bool {
        self.boxes(lot.product) >= lot.boxes
    }

    /// Adds bought goods. The agent paid for them when it accepted the offer.
    pub(crate) fn bought(&mut self, trade: Trade) {
        *self.stock.entry(trade.lot.product).or_default() += trade.lot.boxes;
        self.trades.push(trade);
    }

    /// Removes sold goods and adds the money.
    pub(crate) fn sold(&mut self, trade: Trade) {
        *self.stock.entry(trade.lot.product).or_default() -= trade.lot.boxes;
        self.money += trade.price;
        self.trades.push(trade);
    }
}
