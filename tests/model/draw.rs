//! The source of random choices: a seed, or the bytes of a fuzzer.

/// Choices, one after the other.
pub struct Draw {
    state: u64,
    /// Of a fuzzer: 0 after the last.
    bytes: Option<(Vec<u8>, usize)>,
}

impl Draw {
    pub fn seeded(seed: u64) -> Draw {
        Draw {
            state: seed,
            bytes: None,
        }
    }

    #[allow(dead_code)] // the fuzzer has bytes
    pub fn of_bytes(bytes: &[u8]) -> Draw {
        Draw {
            state: 0,
            bytes: Some((bytes.to_vec(), 0)),
        }
    }

    /// Whether all bytes of a fuzzer were used.
    pub fn is_over(&self) -> bool {
        self.bytes.as_ref().is_some_and(|(bytes, at)| *at >= bytes.len())
    }

    /// Any number (splitmix64). Bytes of a fuzzer choose a stream of them, two bytes a number.
    pub fn next(&mut self) -> u64 {
        if let Some((bytes, at)) = &mut self.bytes {
            let mut two = [0; 2];
            for byte in &mut two {
                *byte = bytes.get(*at).copied().unwrap_or(0);
                *at += 1;
            }
            // Small numbers stay small, so that a fuzzer can aim.
            return u64::from(u16::from_le_bytes(two)) << 48 | u64::from(u16::from_le_bytes(two));
        }
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of `0..end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() as u32 as u64 % end.max(1) as u64) as usize
    }

    /// One of `first..=last`.
    pub fn between(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first + 1) as usize) as i64
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of `0.0 .. 1.0`.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}
