//! Platforms, and the names of agents across platforms.

use situated_acl::{AgentIdentifier, Expression, Message, string};

use crate::names::{platform_of, qualified};

/// A platform: a server, as other platforms know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Platform {
    /// Its name.
    pub name: String,
    /// The URL at which it gets messages.
    pub address: String,
}

impl Platform {
    /// Gives the agents of this platform that a message names their names across platforms, and their address.
    pub(crate) fn qualify(&self, message: &mut Message<'static>) {
        let Message { sender, receivers, reply_to, .. } = message;
        sender.iter_mut().chain(receivers).chain(reply_to).for_each(|agent| self.qualify_agent(agent));
    }

    fn qualify_agent(&self, agent: &mut AgentIdentifier<'static>) {
        match platform_of(&agent.name) {
            None => agent.name = qualified(&agent.name, &self.name).into(),
            Some(platform) if platform == self.name => {}
            Some(_) => return,
        }
        if agent.addresses.is_empty() {
            agent.addresses.push(self.address.clone().into());
        }
    }

    /// Gives the agents in a content in SL0 their names across platforms, and their address. A content that cannot be
    /// read remains as it is.
    pub(crate) fn qualify_content(&self, message: &mut Message<'static>) {
        let text = message.content.as_ref().and_then(|content| content.as_text());
        let Some(content) = text.and_then(|text| string::read_expression(text.as_bytes())) else { return };
        let mut written = Vec::new();
        if string::write_expression(&self.qualified(content.into_owned()), &mut written).is_ok()
            && let Ok(text) = String::from_utf8(written)
        {
            message.content = Some(text.into());
        }
    }

    fn qualified(&self, value: Expression<'static>) -> Expression<'static> {
        let Expression::List(values) = value else { return value };
        let mut values: Vec<Expression<'static>> = values.into_iter().map(|one| self.qualified(one)).collect();
        let text = |at: usize| values.get(at).and_then(Expression::as_text);
        if let (Some("agent-identifier"), Some(":name"), Some(name)) = (text(0), text(1), text(2))
            && platform_of(name).is_none()
        {
            let has_addresses = values.iter().any(|one| one.as_text() == Some(":addresses"));
            values[2] = qualified(name, &self.name).into();
            if !has_addresses {
                values.extend([":addresses".into(), vec!["sequence".into(), self.address.clone().into()].into()]);
            }
        }
        values.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_in_a_content_get_their_names_across_platforms_and_an_address() {
        let market = Platform { name: "market".into(), address: "http://market.example/acc".into() };
        let qualified = |agent: &str| {
            let mut message = Message::inform().content(format!("((done (agent-identifier :name {agent})))"));
            market.qualify_content(&mut message);
            message.content.and_then(|content| content.as_text().map(str::to_owned)).expect("it is text")
        };
        for (agent, wanted) in [
            ("ada", "ada@market :addresses (sequence http://market.example/acc)"),
            ("ada :addresses (sequence http://ada.example)", "ada@market :addresses (sequence http://ada.example)"),
            ("bob@farm", "bob@farm"),
        ] {
            assert_eq!(qualified(agent), format!("((done (agent-identifier :name {wanted})))"));
        }
    }
}
