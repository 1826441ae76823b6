import Glibc
import HDRConcurrency

/// Connects to a compositor's socket as wl_display_connect does, but with a deadline.
enum WaylandSocket {
    static func open(_ name: String?, deadline: UInt64) throws(PresenterError) -> Int32 {
        if name == nil, let inherited = getenv("WAYLAND_SOCKET").flatMap({ Int32(String(cString: $0)) }) {
            // The variable may be used once.
            unsetenv("WAYLAND_SOCKET")
            guard fcntl(inherited, F_SETFD, FD_CLOEXEC) == 0 else {
                throw PresenterError("WAYLAND_SOCKET is not an open file: \(systemError()).")
            }
            return inherited
        }
        let path = try path(name)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            throw PresenterError("The path of the Wayland socket is too long: \(path).")
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }

        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let file = socket(AF_UNIX, type, 0)
        guard file >= 0 else { throw PresenterError("No socket for Wayland: \(systemError()).") }
        while true {
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(file, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            if status == 0 { return file }
            // EAGAIN: the compositor's queue of connections is full.
            guard errno == EAGAIN || errno == EINTR, MonotonicClock.now() < deadline else { break }
            usleep(10_000)
        }
        let reason = systemError()
        close(file)
        throw PresenterError(
            "No Wayland compositor answers at \(path) (\(reason)). Start one, or set WAYLAND_DISPLAY to its socket.")
    }

    private static func path(_ name: String?) throws(PresenterError) -> String {
        let name = name ?? getenv("WAYLAND_DISPLAY").map { String(cString: $0) } ?? "wayland-0"
        if name.hasPrefix("/") { return name }
        guard let folder = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), folder.hasPrefix("/") else {
            throw PresenterError("XDG_RUNTIME_DIR is not set, so that the Wayland compositor cannot be found.")
        }
        return "\(folder)/\(name)"
    }
}
