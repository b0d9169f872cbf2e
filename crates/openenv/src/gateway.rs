//! The gateway: it describes environments, and begins the sessions of learners.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use serde_json::Value;
use situated::encoding::Encoding;
use situated::iil::EcoString;
use situated::ontology::Ontology;
use situated_hub::{Describe, DescribeEncoding, Description, Error, Hub, LocalSession, Name, Rights};

use crate::description;
use crate::learner::Learner;
use crate::world::Model;

/// The gateway for learners that speak the protocol of OpenEnv.
pub struct OpenEnvGateway {
    hub: Arc<Hub>,
    worlds: Arc<AtomicU64>,
}

/// The reason why an environment is not offered to learners.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NotOffered {
    /// The hub refused a request.
    #[error(transparent)]
    Refused(#[from] Error),
    /// The environment runs in the process of a host, which has only one.
    #[error("environment `{environment}` runs in another process, so learners cannot have worlds of their own like it")]
    Hosted {
        /// Its name.
        environment: EcoString,
    },
}

impl OpenEnvGateway {
    /// Creates the gateway of a hub.
    pub fn new(hub: Arc<Hub>) -> Self {
        Self { hub, worlds: Arc::default() }
    }

    /// Returns the JSON Schemas of actions, observations and states in worlds like this environment.
    ///
    /// # Errors
    /// Returns an error if there is no such environment, or if it is not offered.
    pub async fn schema(&self, environment: &str, rights: Rights) -> Result<Value, NotOffered> {
        let session = LocalSession::open(&self.hub, rights)?;
        let described = describe(&session, environment).await?;
        let encoded = first_encoded(&session, environment, &described.ontology).await?;
        Ok(description::schema(&described.ontology, encoded.as_ref().map(|(_, encoding)| encoding)))
    }

    /// Returns the name, the version and the rules of this environment.
    ///
    /// # Errors
    /// Returns an error if there is no such environment, or if it is not offered.
    pub async fn metadata(&self, environment: &str, rights: Rights) -> Result<Value, NotOffered> {
        let session = LocalSession::open(&self.hub, rights)?;
        let described = describe(&session, environment).await?;
        Ok(description::metadata(environment, &described.ontology))
    }

    /// Begins the session of a learner, whose worlds are like this environment. It needs the rights to manage and to
    /// act.
    ///
    /// # Errors
    /// Returns an error if there is no such environment, or if it is not offered.
    pub async fn learner(&self, environment: &str, rights: Rights) -> Result<Learner, NotOffered> {
        let session = LocalSession::open(&self.hub, rights)?;
        let Description { ontology, parameters, .. } = describe(&session, environment).await?;
        let encoded = first_encoded(&session, environment, &ontology).await?;
        let model = Model {
            environment: environment.into(),
            ontology: Arc::new(ontology),
            parameters: parameters.unwrap_or_default(),
            entity_type: encoded.map(|(entity_type, _)| entity_type),
            worlds: self.worlds.clone(),
        };
        Ok(Learner::new(session, model))
    }
}

/// Describes an environment that learners can have worlds like.
async fn describe(session: &LocalSession, environment: &str) -> Result<Description, NotOffered> {
    let described = session.ask(Describe { environment: environment.into() }).await?;
    if described.status.hosted { Err(NotOffered::Hosted { environment: environment.into() }) } else { Ok(described) }
}

/// Returns the first entity type that has an encoding.
async fn first_encoded(
    session: &LocalSession,
    environment: &str,
    ontology: &Ontology,
) -> Result<Option<(EcoString, Encoding)>, Error> {
    for declared in &ontology.entity_types {
        let entity_type = EcoString::from(declared.name.as_str());
        let asked = DescribeEncoding { environment: environment.into(), entity_type: Name(entity_type.clone()) };
        if let Some(encoding) = session.ask(asked).await?.0 {
            return Ok(Some((entity_type, encoding)));
        }
    }
    Ok(None)
}
