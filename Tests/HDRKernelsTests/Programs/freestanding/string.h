/* What the kernels' headers need of the C library where there is none. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);

#endif
