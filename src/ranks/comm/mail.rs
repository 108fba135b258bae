//! Messages between two ranks.

/// A message to or from one rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mail {
    /// The other rank.
    pub rank: usize,
    /// Its content. For a message to receive, only the length matters.
    pub bytes: Vec<u8>,
}

/// The messages of an exchange that is complete.
#[derive(Debug, Default)]
pub struct Delivered {
    /// Messages received.
    pub came: Vec<Mail>,
    /// Messages sent.
    pub sent: Vec<Mail>,
}
