/* The instructions that this machine's processor and operating system can run. */
#ifndef CPU_LEVEL_H
#define CPU_LEVEL_H

/* The x86-64 microarchitecture level: 1, 3 (AVX2, FMA) or 4 (AVX-512 F, BW, CD, DQ, VL). 1 on any other processor. */
int cv_cpu_level(void);

#endif
