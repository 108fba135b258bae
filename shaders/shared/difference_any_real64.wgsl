// Formulas in real64 take every difference as it is: shared/difference_real64.wgsl has no other case.
