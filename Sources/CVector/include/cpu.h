/* What this machine's processor and operating system can run. */
#ifndef CVECTOR_CPU_H
#define CVECTOR_CPU_H

/* The x86-64 microarchitecture level: 1, 3 (AVX2, FMA) or 4 (AVX-512 F, BW, CD, DQ, VL). 1 on any other processor. */
int cv_cpu_level(void);

#endif
