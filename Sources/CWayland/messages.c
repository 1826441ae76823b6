/*
 * The message tables of the protocols. The core protocol's too, although libwayland has them: data cannot be bound
 * late.
 */
#include "CWayland.h"

#include "generated/color-management-v1-code.h"
#include "generated/presentation-time-code.h"
#include "generated/viewporter-code.h"
#include "generated/wayland-code.h"
#include "generated/xdg-decoration-unstable-v1-code.h"
#include "generated/xdg-shell-code.h"
