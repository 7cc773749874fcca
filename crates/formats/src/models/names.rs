//! Enums of the core as a model file writes them: by their names.

/// [`Ends`] under its name.
pub(crate) mod ends_name {
    use revealed::Ends;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in super::super) fn serialize<S: Serializer>(ends: &Ends, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(ends.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ends, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || Ends::ALL.map(Ends::name).join(", ");
        Ends::from_name(&name).ok_or_else(|| D::Error::custom(format!("ends is \"{name}\": it must be one of {}", known())))
    }
}

/// [`Method`] under its name.
pub(crate) mod inference_name {
    use revealed::Method;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in super::super) fn serialize<S: Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(method.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || Method::ALL.map(Method::name).join(", ");
        Method::from_name(&name)
            .ok_or_else(|| D::Error::custom(format!("inference is \"{name}\": it must be one of {}", known())))
    }
}

/// [`Chance`] under its name.
pub(super) mod chance_name {
    use revealed::Chance;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in super::super) fn serialize<S: Serializer>(chance: &Chance, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(chance.name())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Chance, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || Chance::ALL.map(Chance::name).join(", ");
        Chance::from_name(&name).ok_or_else(|| D::Error::custom(format!("chance is \"{name}\": it must be one of {}", known())))
    }
}

/// [`Horizon`] as a number of states, or as `"any"`.
pub(crate) mod horizon_name {
    use revealed::Horizon;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        States(usize),
        Name(String),
        Other(serde_json::Value),
    }

    pub(in super::super) fn serialize<S: Serializer>(horizon: &Horizon, serializer: S) -> Result<S::Ok, S::Error> {
        match horizon {
            Horizon::AtMost(states) => serializer.serialize_u64(*states as u64),
            Horizon::Any => serializer.serialize_str("any"),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Horizon, D::Error> {
        let wrong =
            |found: String| D::Error::custom(format!("horizon is {found}: it must be a whole number, 1 or more, or \"any\""));
        match Written::deserialize(deserializer)? {
            Written::States(states) => Ok(Horizon::AtMost(states)),
            Written::Name(name) if name == "any" => Ok(Horizon::Any),
            Written::Name(name) => Err(wrong(format!("\"{name}\""))),
            Written::Other(value) => Err(wrong(value.to_string())),
        }
    }
}
