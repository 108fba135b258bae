//! State that changes during an action and is restored after it, also after a panic.

/// Runs `act` with a state, and then `restore` on every path.
pub fn restoring<S, R>(state: S, act: impl FnOnce(&mut S) -> R, restore: impl FnMut(&mut S)) -> R {
    act(&mut Restored { state, restore }.state)
}

struct Restored<S, F: FnMut(&mut S)> {
    state: S,
    restore: F,
}

impl<S, F: FnMut(&mut S)> Drop for Restored<S, F> {
    fn drop(&mut self) {
        (self.restore)(&mut self.state);
    }
}

#[cfg(test)]
mod tests {
    use super::restoring;
    use crate::quiet::calmly;

    #[test]
    fn restored_after_a_panic_too() {
        let mut setting = 1;
        let set = |setting: &mut i32, panics: bool| {
            let before = *setting;
            restoring(
                setting,
                |setting| {
                    **setting = 2;
                    assert!(!panics, "a panic");
                    **setting
                },
                |setting| **setting = before,
            )
        };
        assert_eq!((set(&mut setting, false), setting), (2, 1));
        assert!(calmly(|| set(&mut setting, true)).is_err());
        assert_eq!(setting, 1);
    }
}
