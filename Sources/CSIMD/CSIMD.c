// Header only; see include/CSIMD.h.
#include "CSIMD.h"
#include "KernelPlan.h"
