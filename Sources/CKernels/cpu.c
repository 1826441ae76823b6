#include "CPULevel.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* The vector registers that the operating system saves when it switches threads (XCR0). */
static unsigned saved_state(void) {
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

int cv_cpu_level(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return 1;
    const unsigned v3_ecx = 1u << 0 /* SSE3 */ | 1u << 9 /* SSSE3 */ | 1u << 12 /* FMA */ | 1u << 13 /* CMPXCHG16B */ |
                            1u << 19 /* SSE4.1 */ | 1u << 20 /* SSE4.2 */ | 1u << 22 /* MOVBE */ |
                            1u << 23 /* POPCNT */ | 1u << 27 /* OSXSAVE */ | 1u << 28 /* AVX */ | 1u << 29 /* F16C */;
    if ((c & v3_ecx) != v3_ecx || (saved_state() & 0x6) != 0x6)
        return 1;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
        return 1;
    const unsigned features = b;
    const unsigned v3_ebx = 1u << 3 /* BMI1 */ | 1u << 5 /* AVX2 */ | 1u << 8 /* BMI2 */;
    if ((features & v3_ebx) != v3_ebx)
        return 1;
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || (c & 0x21) != 0x21 /* LAHF, LZCNT */)
        return 1;
    const unsigned v4_ebx =
        1u << 16 /* F */ | 1u << 17 /* DQ */ | 1u << 28 /* CD */ | 1u << 30 /* BW */ | 1u << 31 /* VL */;
    if ((features & v4_ebx) != v4_ebx || (saved_state() & 0xe6) != 0xe6)
        return 3;
    return 4;
}
#else
int cv_cpu_level(void) { return 1; }
#endif
