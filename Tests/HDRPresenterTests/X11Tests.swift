import TestSupport
import Testing

/// The X11 presenter with real servers, one test after the other, because some measure time or what is open.
@Suite(.enabled(if: XServer.isInstalled, "Xvfb (package xvfb) is not installed"), .serialized)
struct X11Tests {}
