//! Enums of the core as a model file writes them: by their names.

/// [`Ends`] under its name.
pub(super) mod ends_name {
    use revealed::Ends;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in super::super) fn serialize<S: Serializer>(ends: &Ends, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(ends.name())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ends, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || Ends::ALL.map(Ends::name).join(", ");
        Ends::from_name(&name).ok_or_else(|| D::Error::custom(format!("ends is \"{name}\": it must be one of {}", known())))
    }
}

/// [`Method`] under its name.
pub(super) mod inference_name {
    use revealed::Method;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(in super::super) fn serialize<S: Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(method.name())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Method, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = || Method::ALL.map(Method::name).join(", ");
        Method::from_name(&name)
            .ok_or_else(|| D::Error::custom(format!("inference is \"{name}\": it must be one of {}", known())))
    }
}
