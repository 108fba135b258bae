//! Whether the call comes from inside an OpenMP parallel region of the caller, with any OpenMP runtime.

/// Asks the OpenMP runtime loaded in the process, if there is one.
#[cfg(unix)]
pub fn in_parallel() -> bool {
    // SAFETY: the name is NUL-terminated. OpenMP defines the symbol as `int omp_in_parallel(void)`, callable anywhere.
    unsafe {
        let symbol = libc::dlsym(libc::RTLD_DEFAULT, c"omp_in_parallel".as_ptr());
        if symbol.is_null() {
            return false;
        }
        std::mem::transmute::<*mut libc::c_void, extern "C" fn() -> std::ffi::c_int>(symbol)() != 0
    }
}

/// Nobody to ask.
#[cfg(not(unix))]
pub fn in_parallel() -> bool {
    false
}
