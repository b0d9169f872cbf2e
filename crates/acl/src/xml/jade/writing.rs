//! Writes documents in the layout of JADE. They are well-formed, so that its parser accepts them. A text with special
//! characters is literal (CDATA), since JADE puts blanks around each reference in a text.

use crate::agent_identifier::check_address;
use crate::jade::{BASE64, CONTENT_ENCODING, in_base64, is_content_encoding};
use crate::string::letters;
use crate::time::checked;
use crate::xml::agents::FOREIGN_CHARACTERS;
use crate::xml::characters::{can_hold, is_name, write_quoted};
use crate::xml::values::each_value;
use crate::{AgentIdentifier, Content, Expression, Message, Unencodable, UserParameter};

/// Encodes a message for JADE.
///
/// # Errors
/// Returns an error if a part of it has no form there.
pub(crate) fn encode(message: &Message<'_>) -> Result<Vec<u8>, Unencodable> {
    let mut writer = Writer { out: String::new() };
    writer.message(message)?;
    Ok(writer.out.into_bytes())
}

struct Writer {
    out: String,
}

impl Writer {
    fn message(&mut self, message: &Message<'_>) -> Result<(), Unencodable> {
        self.write("<fipa-message act=\"");
        self.write(&message.performative.name().to_ascii_uppercase());
        self.write("\" >\n");
        if let Some(sender) = &message.sender {
            self.party("sender", sender).map_err(|error| error.of("sender"))?;
        }
        for (element, agents) in [("receiver", &message.receivers), ("reply-to", &message.reply_to)] {
            for (place, agent) in agents.iter().enumerate() {
                let number = |error: Unencodable| error.of(format_args!("{element} {}", place + 1));
                self.party(element, agent).map_err(number)?;
            }
        }
        match &message.content {
            None => {}
            Some(Content::Text(text)) => self.element("content", text, text.contains("\\\""))?,
            Some(Content::Bytes(bytes)) => {
                self.element(CONTENT_ENCODING, BASE64, false)?;
                self.element("content", &in_base64(bytes), false)?;
            }
        }
        each_value(message, |name, value| self.value(name, value))?;
        if let Some(time) = &message.reply_by {
            let time = checked(time).map_err(|error| error.of("reply-by"))?;
            self.attribute("\t", "reply-by", "time", &time.to_string())?;
        }
        let is_in_base64 = matches!(message.content, Some(Content::Bytes(_)));
        for UserParameter { name, value } in &message.user_parameters {
            if !(is_in_base64 && is_content_encoding(name.as_str())) {
                self.user_parameter(name.as_str(), value)?;
            }
        }
        self.write("</fipa-message>\n");
        Ok(())
    }

    /// Writes an element with an agent.
    fn party(&mut self, element: &str, agent: &AgentIdentifier<'_>) -> Result<(), Unencodable> {
        self.write(&format!("\t<{element}>\n"));
        self.agent("\t\t", agent, 0)?;
        self.write(&format!("\t</{element}>\n"));
        Ok(())
    }

    /// Writes an agent at a depth of resolvers, on indented lines.
    fn agent(&mut self, indent: &str, agent: &AgentIdentifier<'_>, depth: usize) -> Result<(), Unencodable> {
        agent.check_depth(depth)?;
        if let Some(parameter) = agent.user_parameters.first() {
            let why = "for which JADE has no form in XML; remove it, or send the message as text";
            return Err(Unencodable::new("a parameter", parameter.name.as_str(), why));
        }
        self.write(&format!("{indent}<agent-identifier>\n"));
        let inner = format!("{indent}\t");
        self.attribute(&inner, "name", "id", &agent.name)?;
        if !agent.addresses.is_empty() {
            self.write(&format!("{inner}<addresses>\n"));
            for address in &agent.addresses {
                check_address(address)?;
                self.attribute(&format!("{inner}\t"), "url", "href", address)?;
            }
            self.write(&format!("{inner}</addresses>\n"));
        }
        // JADE would read only the last of several agents in one element.
        for resolver in &agent.resolvers {
            self.write(&format!("{inner}<resolvers>\n"));
            self.agent(&format!("{inner}\t"), resolver, depth + 1).map_err(|error| error.of("a resolver"))?;
            self.write(&format!("{inner}</resolvers>\n"));
        }
        self.write(&format!("{indent}</agent-identifier>\n"));
        Ok(())
    }

    fn attribute(&mut self, indent: &str, element: &str, name: &str, value: &str) -> Result<(), Unencodable> {
        if !can_hold(value) {
            return Err(Unencodable::new(format!("the {name} of {element}"), value, FOREIGN_CHARACTERS));
        }
        self.write(&format!("{indent}<{element} {name}="));
        write_quoted(&mut self.out, value);
        self.write(" />\n");
        Ok(())
    }

    fn user_parameter(&mut self, name: &str, value: &Expression<'_>) -> Result<(), Unencodable> {
        let own = name.get(..2).filter(|prefix| prefix.eq_ignore_ascii_case("X-")).map_or(name, |_| &name[2..]);
        let element = format!("X-{own}");
        if !is_name(&element) || element.contains(':') {
            let why = "which is not a valid name of an XML element, as JADE requires; choose another";
            return Err(Unencodable::new("the name of a parameter", name, why));
        }
        self.value(&element, value)
    }

    fn value(&mut self, name: &str, value: &Expression<'_>) -> Result<(), Unencodable> {
        let text = letters(value).map_err(|error| error.of(name))?;
        self.element(name, &text, false)
    }

    /// Writes an element with a text.
    fn element(&mut self, name: &str, text: &str, is_literal: bool) -> Result<(), Unencodable> {
        if !can_hold(text) {
            return Err(Unencodable::new(name, text, FOREIGN_CHARACTERS));
        }
        self.write(&format!("\t<{name}>"));
        if is_literal || text.contains(['<', '&', '\r']) || text.contains("]]>") {
            self.write("<![CDATA[");
            self.write(&text.replace("]]>", "]]]]><![CDATA[>"));
            self.write("]]>");
        } else {
            self.write(text);
        }
        self.write(&format!("</{name}>\n"));
        Ok(())
    }

    fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }
}
