/*
 * Functions of shared libraries that are loaded when they are first needed, so that a program starts without them.
 *
 * Each function has a hidden trampoline of its own name, which jumps to where a pointer says. Callers are compiled as
 * if the library were linked.
 */
#ifndef CLATEBINDING_H
#define CLATEBINDING_H

#include <stdbool.h>
#include <stddef.h>

#define LATE_HIDDEN __attribute__((visibility("hidden")))

struct late_symbol {
    const char *name;
    /* The variable that receives the symbol's address. */
    void **address;
};

struct late_library {
    /* The library's soname, and the Debian package that contains it. */
    const char *file, *package;
    const struct late_symbol *symbols;
    size_t count;
};

/*
 * Binds all symbols of `library` to what a handle of dlopen has. NULL when done, and otherwise the first name that the
 * handle does not have, with nothing bound. Not to be called by two threads at a time.
 */
LATE_HIDDEN const char *late_bind(const struct late_library *library, void *handle);

/* The result of an unbound function, which does nothing: 0 or NULL, also in structures that are returned in two
 * registers. */
struct late_answer {
    size_t words[2];
};
LATE_HIDDEN struct late_answer late_unbound(void);

#if defined(__x86_64__)
#define LATE_JUMP(name) "jmp *late_at_" #name "(%rip)\n"
#elif defined(__aarch64__)
/* The procedure call standard reserves x16 for trampolines such as this one. */
#define LATE_JUMP(name) "adrp x16, late_at_" #name "\nldr x16, [x16, :lo12:late_at_" #name "]\nbr x16\n"
#else
#error There is no trampoline for this processor
#endif

/* Defines one function, at file scope. The compiler does not see that the trampoline uses the pointer. */
#define LATE_FUNCTION(name)                                                                                           \
    LATE_HIDDEN __attribute__((used)) void *late_at_##name = (void *)late_unbound;                                    \
    __asm__(".pushsection .text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name \
            ":\n.cfi_startproc\n" LATE_JUMP(name) ".cfi_endproc\n.size " #name ", . - " #name "\n.popsection\n");

/* Declares one variable: `late_at_name` is its address, NULL while it is unbound. */
#define LATE_VARIABLE(name) static void *late_at_##name;

#define LATE_SYMBOL(name) {#name, &late_at_##name},

#endif
