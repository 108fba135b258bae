//! The floating-point environment of a thread: the direction of rounding, what becomes of subnormal numbers, traps,
//! flags. The layer across ranks includes this file.
//!
//! Programs change it: `-Ofast` flushes subnormal numbers, `-ffpe-trap` traps, `fesetround` rounds upward. Rust and the
//! promise of equal bits need the environment that a program starts with. So a call has that one while it runs, and
//! then the caller's is back as it was, with its flags: a comparison in an unused lane may divide 0 by 0, and the
//! caller must not see that.

#![allow(unsafe_code)]

/// The caller's environment. While this lives, the thread has the default one.
#[derive(Debug)]
pub struct Callers(arch::Saved);

impl Callers {
    /// Saves the environment of this thread, and sets the default one.
    pub fn save() -> Callers {
        Callers(arch::enter())
    }
}

impl Drop for Callers {
    fn drop(&mut self) {
        arch::leave(&self.0);
    }
}

/// Sets the default environment of this thread for good: a new thread has that of the one that started it.
pub fn set_default() {
    let _of_the_starter = arch::enter();
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod arch {
    use std::arch::asm;

    #[derive(Debug)]
    pub struct Saved {
        mxcsr: u32,
        /// The x87 unit, where the caller has changed it. Our code never uses it, but a driver or the C library may.
        x87: Option<X87>,
    }

    /// The words that `fnstenv` stores: control and status are the first halves of the first two words.
    type X87 = [u32; 7];

    /// Exceptions are masked, rounding is to nearest, and subnormal numbers are kept; the flags are the other bits.
    const MXCSR: u32 = 0x1f80;
    const FLAGS: u32 = 0x3f;
    /// The same of the control word. Its precision stays the caller's.
    const MASKS: u16 = 0x3f;
    const ROUNDING: u16 = 0xc00;

    pub fn enter() -> Saved {
        let (mut mxcsr, mut control) = (0u32, 0u16);
        // SAFETY: stores two registers to variables of their size. Neither waits for a pending exception.
        unsafe {
            asm!(
                "stmxcsr dword ptr [{mxcsr}]",
                "fnstcw word ptr [{control}]",
                mxcsr = in(reg) &raw mut mxcsr,
                control = in(reg) &raw mut control,
                options(nostack, preserves_flags),
            );
        }
        if mxcsr & !FLAGS != MXCSR {
            load(MXCSR);
        }
        let is_usual = control & (MASKS | ROUNDING) == MASKS;
        Saved {
            mxcsr,
            x87: (!is_usual).then(enter_x87),
        }
    }

    pub fn leave(saved: &Saved) {
        load(saved.mxcsr);
        if let Some(x87) = &saved.x87 {
            load_x87(x87);
        }
    }

    fn load(mxcsr: u32) {
        // SAFETY: every bit is one that this processor has: it is the default, or was stored before.
        unsafe { asm!("ldmxcsr dword ptr [{}]", in(reg) &raw const mxcsr, options(nostack, preserves_flags)) };
    }

    /// Without flags, for one that is raised would trap when the caller's masks are back.
    #[cold]
    fn enter_x87() -> X87 {
        let mut callers: X87 = [0; 7];
        // SAFETY: stores 28 bytes to an array of that size, and does not wait for a pending exception.
        unsafe { asm!("fnstenv [{}]", in(reg) &raw mut callers, options(nostack, preserves_flags)) };
        let mut ours = callers;
        ours[0] = (ours[0] | u32::from(MASKS)) & !u32::from(ROUNDING);
        ours[1] &= !0x80ff;
        load_x87(&ours);
        callers
    }

    #[cold]
    fn load_x87(environment: &X87) {
        // SAFETY: it was stored before, but for masks, rounding and flags.
        unsafe { asm!("fldenv [{}]", in(reg) environment, options(nostack, preserves_flags, readonly)) };
    }
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
mod arch {
    use std::arch::asm;

    #[derive(Debug)]
    pub struct Saved {
        /// Rounding, flushing and traps; 0 by default.
        fpcr: u64,
        /// Flags.
        fpsr: u64,
    }

    pub fn enter() -> Saved {
        let (fpcr, fpsr);
        // SAFETY: reads two registers.
        unsafe {
            asm!(
                "mrs {}, fpcr",
                "mrs {}, fpsr",
                out(reg) fpcr,
                out(reg) fpsr,
                options(nostack, preserves_flags),
            );
        }
        if fpcr != 0 {
            load(0);
        }
        Saved { fpcr, fpsr }
    }

    pub fn leave(saved: &Saved) {
        // SAFETY: it was read before.
        unsafe { asm!("msr fpsr, {}", in(reg) saved.fpsr, options(nostack, preserves_flags)) };
        if saved.fpcr != 0 {
            load(saved.fpcr);
        }
    }

    fn load(fpcr: u64) {
        // SAFETY: it is the default, or was read before.
        unsafe { asm!("msr fpcr, {}", in(reg) fpcr, options(nostack, preserves_flags)) };
    }
}

/// Other processors: the caller's environment is used as it is.
#[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod arch {
    pub type Saved = ();

    pub fn enter() {}

    pub fn leave(_: &Saved) {}
}
