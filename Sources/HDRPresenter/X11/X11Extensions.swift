import CXCB
import Glibc

/// The extensions that the server has, and the numbers of their events and requests.
struct X11Extensions {
    struct Numbers {
        var majorOpcode: UInt8
        var firstEvent: UInt8
    }
    /// The extension MIT-SHM; `nil` if the server cannot share memory, for example because it runs on another machine.
    var shm: Numbers?
    var present: Numbers?
    var render: Numbers
    var randr: Numbers?

    /// - Parameter unused: extensions that are not used even if the server has them.
    init(_ connection: OpaquePointer, unused: Set<String>) throws(PresenterError) {
        guard let render = Self.numbers(connection, cxcb_render()), Self.hasRepeatPad(connection) else {
            throw PresenterError(
                "the X server lacks version 0.10 of RENDER, which scales the pictures; start it with that extension on")
        }
        self.render = render
        if !unused.contains("shm"), Self.sharesMemory(connection) { shm = Self.numbers(connection, cxcb_shm()) }
        if !unused.contains("present") { present = Self.numbers(connection, cxcb_present()) }
        if present != nil {
            let reply = xcb_present_query_version_reply(connection, xcb_present_query_version(connection, 1, 0), nil)
            if reply == nil { present = nil }
            free(reply)
        }
        if !unused.contains("randr") { randr = Self.numbers(connection, cxcb_randr()) }
        if randr != nil {
            let reply = xcb_randr_query_version_reply(connection, xcb_randr_query_version(connection, 1, 3), nil)
            let version = reply.map { ($0.pointee.major_version, $0.pointee.minor_version) } ?? (0, 0)
            if version < (1, 3) { randr = nil }
            free(reply)
        }
    }

    var features: [String] {
        let all: [(Numbers?, String)] = [(shm, "shm"), (present, "present"), (render, "render"), (randr, "randr")]
        return all.compactMap { $0.0 == nil ? nil : $0.1 }
    }

    /// The extension that a request belongs to.
    func name(ofRequest major: UInt8) -> String? {
        let all: [(Numbers?, String)] = [(shm, "MIT-SHM"), (present, "Present"), (render, "RENDER"), (randr, "RandR")]
        return all.first { $0.0?.majorOpcode == major }?.1
    }

    private static func numbers(
        _ connection: OpaquePointer, _ name: UnsafeMutablePointer<xcb_extension_t>?
    ) -> Numbers? {
        guard let data = xcb_get_extension_data(connection, name), data.pointee.present != 0 else { return nil }
        return Numbers(majorOpcode: data.pointee.major_opcode, firstEvent: data.pointee.first_event)
    }

    private static func hasRepeatPad(_ connection: OpaquePointer) -> Bool {
        let reply = xcb_render_query_version_reply(connection, xcb_render_query_version(connection, 0, 11), nil)
        defer { free(reply) }
        guard let version = reply?.pointee else { return false }
        return (version.major_version, version.minor_version) >= (0, 10)
    }

    /// Tries to share memory: a server with the extension may still be in another namespace or behind a tunnel.
    private static func sharesMemory(_ connection: OpaquePointer) -> Bool {
        guard numbers(connection, cxcb_shm()) != nil else { return false }
        // File descriptors can only be passed through local sockets.
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        guard getsockname(xcb_get_file_descriptor(connection), &address, &length) == 0,
            Int32(address.sa_family) == AF_UNIX
        else { return false }
        let reply = xcb_shm_query_version_reply(connection, xcb_shm_query_version(connection), nil)
        defer { free(reply) }
        guard let version = reply?.pointee else { return false }
        guard (version.major_version, version.minor_version) >= (1, 2) else { return false }

        let file = cxcb_memory_file()
        guard file >= 0 else { return false }
        guard X11Memory.allocate(file, 4096) == 0 else {
            Glibc.close(file)
            return false
        }
        let segment = xcb_generate_id(connection)
        // The request closes the descriptor.
        let error = xcb_request_check(connection, xcb_shm_attach_fd_checked(connection, segment, file, 1))
        if let error {
            free(error)
            return false
        }
        xcb_shm_detach(connection, segment)
        return true
    }
}
