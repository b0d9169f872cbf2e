//! The form of leases and properties in JSON.

pub(crate) mod lease {
    //! A lease in milliseconds.

    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(lease: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
        lease.map(|lease| u64::try_from(lease.as_millis()).unwrap_or(u64::MAX)).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
        Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_millis))
    }
}

pub(crate) mod properties {
    //! Properties by name. Their values have the form of parameters of messages.

    use std::collections::BTreeMap;

    use serde::{Deserialize, Deserializer, Serializer, de};
    use situated_acl::Expression;
    use situated_acl::json::AclValue;

    pub(crate) fn serialize<S: Serializer>(
        properties: &BTreeMap<String, Expression<'static>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_map(properties.iter().map(|(name, value)| (name, AclValue::from(value))))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<BTreeMap<String, Expression<'static>>, D::Error> {
        let written = BTreeMap::<String, AclValue>::deserialize(deserializer)?;
        let read = |(name, value)| Ok((name, Expression::try_from(value).map_err(de::Error::custom)?));
        written.into_iter().map(read).collect()
    }
}
