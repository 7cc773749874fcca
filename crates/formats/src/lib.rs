//! Files of revealed.
