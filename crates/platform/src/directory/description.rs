//! The descriptions of agents and their services as values, for programs (FIPA SC00023, section 4).

use std::collections::BTreeMap;
use std::time::Duration;

use situated_acl::{Expression, Time, TimeKind};

use super::reading::{agent, agent_name, arguments, property, read_property, set, slots, texts, word};

/// The description of an agent with its services: `df-agent-description`. In a search, it is a template: the found
/// agents have everything that it has.
///
/// ```
/// use situated_platform::directory::{Description, Service};
///
/// let trader = Service { kind: Some("trade".into()), ..Service::default() };
/// let template = Description { languages: vec!["fipa-sl".into()], ..trader.into() };
/// assert_eq!(template.services.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(default, rename_all = "camelCase", deny_unknown_fields))]
pub struct Description {
    /// The name of the agent. An agent that registers its services need not set it.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub agent: Option<String>,
    /// The services.
    pub services: Vec<Service>,
    /// The protocols that the agent follows.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub protocols: Vec<String>,
    /// The ontologies that the agent knows.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub ontologies: Vec<String>,
    /// The languages that the agent understands.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub languages: Vec<String>,
    /// The time after which the description is removed, from when it is registered; `None` means never. A lease until a
    /// point in time is not read.
    #[cfg_attr(feature = "json", serde(rename = "leaseMs", with = "crate::directory::json::lease"))]
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub lease: Option<Duration>,
}

/// The description of a service: `service-description`.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "json", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "json", serde(default, rename_all = "camelCase", deny_unknown_fields))]
pub struct Service {
    /// Its name.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub name: Option<String>,
    /// Its type.
    #[cfg_attr(feature = "json", serde(rename = "type", skip_serializing_if = "Option::is_none"))]
    pub kind: Option<String>,
    /// The protocols that it follows.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub protocols: Vec<String>,
    /// The ontologies that it knows.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub ontologies: Vec<String>,
    /// The languages that it understands.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Vec::is_empty"))]
    pub languages: Vec<String>,
    /// Its owner.
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "Option::is_none"))]
    pub ownership: Option<String>,
    /// Further properties.
    #[cfg_attr(feature = "json", serde(with = "crate::directory::json::properties"))]
    #[cfg_attr(feature = "json", serde(skip_serializing_if = "BTreeMap::is_empty"))]
    pub properties: BTreeMap<String, Expression<'static>>,
}

impl Service {
    /// Creates the description of a service with a name and a type.
    pub fn new(name: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { name: Some(name.into()), kind: Some(kind.into()), ..Self::default() }
    }

    /// Creates the template for services of a type.
    pub fn of_type(kind: impl Into<String>) -> Self {
        Self { kind: Some(kind.into()), ..Self::default() }
    }

    /// Sets a property.
    pub fn property(mut self, name: impl Into<String>, value: impl Into<Expression<'static>>) -> Self {
        self.properties.insert(name.into(), value.into());
        self
    }
}

impl From<Service> for Description {
    fn from(service: Service) -> Self {
        Self { services: vec![service], ..Self::default() }
    }
}

/// A functional term with parameters. Parameters without a value are left out.
struct Parameters(Vec<Expression<'static>>);

impl Parameters {
    fn of(name: &'static str) -> Self {
        Self(vec![word(name)])
    }

    fn with(mut self, name: &'static str, value: Option<Expression<'static>>) -> Self {
        if let Some(value) = value {
            self.0.extend([word(name), value]);
        }
        self
    }

    fn set(self, name: &'static str, values: Vec<Expression<'static>>) -> Self {
        self.with(name, (!values.is_empty()).then(|| set(values)))
    }

    fn texts(self, name: &'static str, values: &[String]) -> Self {
        self.set(name, values.iter().cloned().map(Expression::from).collect())
    }
}

impl From<&Description> for Expression<'static> {
    fn from(described: &Description) -> Self {
        let lease = described.lease.map(|lease| Time::after(u64::try_from(lease.as_millis()).unwrap_or(u64::MAX)));
        let written = Parameters::of("df-agent-description")
            .with(":name", described.agent.as_deref().map(agent))
            .set(":services", described.services.iter().map(Expression::from).collect())
            .texts(":protocols", &described.protocols)
            .texts(":ontologies", &described.ontologies)
            .texts(":languages", &described.languages)
            .with(":lease-time", lease.map(Expression::from));
        written.0.into()
    }
}

impl From<&Service> for Expression<'static> {
    fn from(service: &Service) -> Self {
        let text = |text: &Option<String>| text.clone().map(Expression::from);
        let written = Parameters::of("service-description")
            .with(":name", text(&service.name))
            .with(":type", text(&service.kind))
            .texts(":protocols", &service.protocols)
            .texts(":ontologies", &service.ontologies)
            .texts(":languages", &service.languages)
            .with(":ownership", text(&service.ownership))
            .set(":properties", service.properties.iter().map(|(name, value)| property(name, value.clone())).collect());
        written.0.into()
    }
}

impl Description {
    /// Reads a `df-agent-description`. It skips parameters that it does not know.
    pub fn read(value: &Expression<'static>) -> Option<Self> {
        let mut read = Self::default();
        for (name, value) in slots(arguments(value, "df-agent-description")?)? {
            match name.to_ascii_lowercase().as_str() {
                "name" => read.agent = agent_name(value),
                "services" => read.services = arguments(value, "set")?.iter().filter_map(Service::read).collect(),
                "protocols" => read.protocols = texts(value),
                "ontologies" => read.ontologies = texts(value),
                "languages" => read.languages = texts(value),
                "lease-time" => read.lease = lease(value),
                _ => {}
            }
        }
        Some(read)
    }
}

impl Service {
    /// Reads a `service-description`. It skips parameters that it does not know.
    pub fn read(value: &Expression<'static>) -> Option<Self> {
        let mut read = Self::default();
        let text = |value: &Expression<'_>| value.as_text().map(str::to_owned);
        for (name, value) in slots(arguments(value, "service-description")?)? {
            match name.to_ascii_lowercase().as_str() {
                "name" => read.name = text(value),
                "type" => read.kind = text(value),
                "protocols" => read.protocols = texts(value),
                "ontologies" => read.ontologies = texts(value),
                "languages" => read.languages = texts(value),
                "ownership" => read.ownership = text(value),
                "properties" => {
                    for (name, value) in arguments(value, "set")?.iter().filter_map(read_property) {
                        read.properties.insert(name, value);
                    }
                }
                _ => {}
            }
        }
        Some(read)
    }
}

fn lease(value: &Expression<'_>) -> Option<Duration> {
    match value {
        Expression::Time(time) if time.kind == TimeKind::After => {
            u64::try_from(time.moment(0, 0)).ok().map(Duration::from_millis)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::reading::{read, write};

    #[test]
    fn descriptions_are_equal_after_writing_and_reading() {
        let plums = Service { languages: vec!["two words".into()], ..Service::new("plums", "trade") };
        let plums = plums.property("price", 12).property("sort", "ripe fruit");
        let description = Description {
            agent: Some("ada of the market".into()),
            services: vec![plums, Service::of_type("gift")],
            protocols: vec!["fipa-request".into(), "fipa-query".into()],
            ontologies: vec!["fruit".into()],
            languages: vec!["fipa-sl".into()],
            lease: Some(Duration::from_secs(3600)),
        };
        let text = write(&Expression::from(&description));
        assert_eq!(read(&text).as_ref().and_then(Description::read), Some(description), "{text}");
        assert_eq!(write(&Expression::from(&Description::default())), "(df-agent-description)");
    }

    #[test]
    fn skips_parameters_that_it_does_not_know() {
        let text = "(df-agent-description :scope (set global) :NAME (agent-identifier :name ada :addresses (sequence http://a))
            :lease-time 20300101T120000000Z :services (set (service-description :type trade :since 7) (elsewhere)))";
        let wanted = Description { agent: Some("ada".into()), ..Service::of_type("trade").into() };
        assert_eq!(read(text).as_ref().and_then(Description::read), Some(wanted));
    }
}
