//! Counters of the messages between ranks.

use super::comm::Mail;

/// A number of messages and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub messages: i64,
    pub bytes: i64,
}

impl Traffic {
    /// The traffic of messages that are sent.
    pub fn of(out: &[Mail]) -> Traffic {
        let mut traffic = Traffic::default();
        out.iter().for_each(|mail| traffic.count(mail.bytes.len()));
        traffic
    }

    /// Counts a message, unless it is empty: empty messages are not sent.
    pub fn count(&mut self, bytes: usize) {
        self.messages += i64::from(bytes > 0);
        self.bytes += bytes as i64;
    }

    /// Counts other messages too.
    pub fn add(&mut self, other: Traffic) {
        self.messages += other.messages;
        self.bytes += other.bytes;
    }
}
