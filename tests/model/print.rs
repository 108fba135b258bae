//! The program in C that a sequence is.

/// A whole program of the `calls` of a sequence that went wrong as `text` says.
pub fn program(calls: &str, text: &str, seed: &str) -> String {
    let text = text.replace("*/", "* /");
    format!(
        "/* {seed}: the last call gives\n * {text} */\n\
         #include <math.h>\n#include <celllist.h>\n#include <neargrid.h>\n#include <neargrid_celllist.h>\n#include <neargrid_sum.h>\n#include <stdio.h>\n#include <string.h>\n\n\
         static void status(neargrid_status s)\n{{\n    char text[400] = \"\";\n\
         \x20   if (s != NEARGRID_STATUS_OK) neargrid_last_error(text, sizeof text, NULL);\n\
         \x20   printf(\"%d %s\\n\", (int)s, text);\n}}\n\n\
         int main(void)\n{{\n    neargrid_search *s0, *s1;\n    neargrid_formula *f0 = NULL, *f1 = NULL;\n\
         \x20   neargrid_list *l[4] = {{NULL}};\n\
         \x20   status(neargrid_search_create(NEARGRID_ABI_VERSION, &s0));\n\
         \x20   status(neargrid_search_create(NEARGRID_ABI_VERSION, &s1));\n\
         {calls}\
         \x20   neargrid_search_destroy(s0);\n    neargrid_search_destroy(s1);\n\
         \x20   for (int k = 0; k < 4; k++) neargrid_list_destroy(l[k]);\n\
         \x20   neargrid_formula_destroy(f0);\n    neargrid_formula_destroy(f1);\n    return 0;\n}}\n"
    )
}
