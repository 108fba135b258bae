//! Output of scripts/c_header.py for a header: forms that cbindgen and compilers know, and those that it refuses.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const HEADER: &str = r#"/* A library. */
#ifndef A_H
#define A_H
#include <stdint.h>
#if defined(__GNUC__)
#define NEARGRID_NODISCARD __attribute__((warn_unused_result))
#else
#define NEARGRID_NODISCARD
#endif
#define NEARGRID_EXPORT __attribute__((visibility("default")))
#define NEARGRID_VERSION_STRING "0.1.0"
/** No limit. The default. */
#define NEARGRID_LIMIT_NONE (-1)
/** Rows. */
enum neargrid_rows
#ifdef __cplusplus
  : int32_t
#endif // __cplusplus
 {
  /** Each pair once; not NEARGRID_ROWS_FULL. */
  NEARGRID_ROWS_HALF = 0,
  // All of them.
  NEARGRID_ROWS_FULL = 1,
};
#ifndef __cplusplus
typedef int32_t neargrid_rows;
#endif // __cplusplus
typedef struct neargrid_search neargrid_search;
typedef int32_t neargrid_status;
#ifdef __cplusplus
extern "C" {
#endif
/**
 * Takes numbers, as NEARGRID_LIMIT_NONE says.
 *
 * - `ids`: numbers. May be NULL if `n` is 0.
 * - `total`: receives how many.
 */
NEARGRID_EXPORT NEARGRID_NODISCARD
neargrid_status neargrid_take(struct neargrid_search *search, neargrid_rows kind, int64_t n, const int32_t *ids, int64_t *total);

// As neargrid_take, and shows them.
neargrid_status neargrid_view(const neargrid_search *search, const int32_t *ids, const char *name, const double **view);

// Frees.
void neargrid_free(neargrid_search *search, const void *other, const float *x, int64_t stride);
static inline void neargrid_more(void) {
    neargrid_free(0, 0, 0, 0);
}
#ifdef __cplusplus
}
#endif
#endif
"#;

const FORTRAN: &str = r#"    character(len=*), parameter :: neargrid_version_string = "0.1.0"

    !> No limit. The default.
    integer(c_int), parameter :: neargrid_limit_none = -1

    !> Each pair once; not neargrid_rows_full.
    integer(c_int), parameter :: neargrid_rows_half = 0
    !> All of them.
    integer(c_int), parameter :: neargrid_rows_full = 1
        !> Takes numbers, as neargrid_limit_none says.
        function neargrid_take(search, kind, n, ids, total) &
            bind(c, name="neargrid_take") result(status)
            import :: c_int, c_int32_t, c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), value :: kind
            integer(c_int64_t), intent(in), value :: n
            integer(c_int32_t), intent(in), optional :: ids(*)
            integer(c_int64_t), intent(inout) :: total
            integer(c_int) :: status
        end function neargrid_take

        !> As neargrid_take, and shows them.
        function neargrid_view(search, ids, name, view) bind(c, name="neargrid_view") result(status)
            import :: c_char, c_int, c_int32_t, c_ptr
            type(c_ptr), intent(in), value :: search
            integer(c_int32_t), intent(in), optional :: ids(*)
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr), intent(inout) :: view
            integer(c_int) :: status
        end function neargrid_view

        !> Frees.
        subroutine neargrid_free(search, other, x, stride) bind(c, name="neargrid_free")
            import :: c_int64_t, c_ptr
            type(c_ptr), intent(in), value :: search, other, x
            integer(c_int64_t), intent(in), value :: stride
        end subroutine neargrid_free
"#;

fn generated(name: &str, header: &str) -> Output {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_header").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.h"), header).unwrap();
    let script =
        "import c_header, sys; core = c_header.Header(sys.argv[1]); print(core.constants()); print(core.interfaces())";
    let mut command = Command::new("python3");
    command.args(["-B", "-c", script]).arg(folder.join("*.h"));
    command.env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/scripts"));
    command.output().unwrap_or_else(|error| panic!("python3: {error}"))
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn every_form() {
    let output = generated("every_form", HEADER);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), FORTRAN, "{said}");
}

#[test]
#[ignore = "needs compilers and tools: make test-interfaces"]
fn not_understood() {
    for (name, more) in [
        ("unknown_type", "void neargrid_a(long n);"),
        ("no_semicolon", "void neargrid_a(int32_t n)"),
        ("variable", "extern int32_t neargrid_a;"),
        ("structure", "typedef struct neargrid_a { int32_t n; } neargrid_a;"),
        ("twice", "void neargrid_free(void);"),
        ("function_pointer", "void neargrid_a(void (*f)(void));"),
    ] {
        let output = generated(
            name,
            &HEADER.replace("static inline", &format!("{more}\nstatic inline")),
        );
        assert!(!output.status.success(), "{more} goes unnoticed");
    }
}
