import CXCB
import Glibc
import HDRConcurrency

/// The state that the callers share with the presenter's thread.
final class X11Link: Sendable {
    let state = Monitor(X11State())
    /// The thread polls it in addition to the server's socket, and then checks the state.
    let wakeUp = WakeUp()
}

struct X11State {
    enum Phase { case new, opening, open, ended }
    enum Job {
        case present(X11Memory, serial: UInt64, views: [View])
        case redraw(views: [View])
    }

    var phase = Phase.new
    var failure: PresenterError?
    var isClosing = false
    /// The connection's file descriptor; -1 without a connection.
    var socket: Int32 = -1
    var display = DisplayState()
    /// The format of the window's visual; `nil` before there is a window.
    var format: PictureFormat?

    var isFlushing = false
    var wantsTicks = false
    /// The jobs that wait for the presenter's thread.
    var jobs: [Job] = []

    var description: PictureDescription?
    /// The number of the description; memory of earlier ones is not used again.
    var generation = 0
    var nextToken = 1
    var memories: [Int: X11Memory] = [:]
    /// Memory that the thread has to detach from the server.
    var retired: [X11Memory] = []

    /// Whether the presenter shows nothing any more.
    var isOver: Bool { isClosing || phase == .ended || failure != nil }

    /// Marks memory as unused, and retires it if it has an earlier description.
    mutating func free(_ memory: X11Memory) {
        memory.owner = .pool
        if memory.generation != generation {
            memories[memory.buffer.token] = nil
            retired.append(memory)
        }
    }
}
