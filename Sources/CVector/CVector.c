// Header only; see include/CVector.h.
#include "CVector.h"
#include "KernelPlan.h"
