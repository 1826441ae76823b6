/* The functions of the C library that the kernels' headers need, for targets without one. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);

#endif
