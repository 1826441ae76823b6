import CLateBinding
import CWayland
import CXCB
import Glibc

/// A shared library of the desktop that a presenter loads when it opens, because the plugin has to load without it.
///
/// Once loaded it stays, because its functions stay bound.
struct LateLibrary: @unchecked Sendable {
    /// As the linker would name it.
    var file: String
    /// The Debian package that has it.
    let package: String
    /// Lives as long as the process.
    private let table: UnsafePointer<late_library>

    private init(_ table: UnsafePointer<late_library>) {
        file = String(cString: table.pointee.file)
        package = String(cString: table.pointee.package)
        self.table = table
    }

    static let wayland = LateLibrary(cwayland_library())

    static let xcb: [LateLibrary] = {
        var count = 0
        let tables = cxcb_libraries(&count)
        return (0..<count).compactMap { index in tables.map { LateLibrary($0 + index) } }
    }()

    private static let mutex = Mutex()
    /// The files that are loaded and bound. Under `mutex`.
    nonisolated(unsafe) private static var loaded: Set<String> = []

    /// Makes the library's functions callable. Any thread.
    func load() throws(PresenterError) {
        Self.mutex.lock()
        defer { Self.mutex.unlock() }
        if Self.loaded.contains(file) { return }
        guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
            let reason = dlerror().map { String(cString: $0) } ?? "unknown reason"
            throw PresenterError(
                "The library \(file) does not load (\(reason)): install the Debian package \(package).")
        }
        if let missing = late_bind(table, handle) {
            dlclose(handle)
            throw PresenterError("The library \(file) has no \(String(cString: missing)): install a newer \(package).")
        }
        Self.loaded.insert(file)
    }
}
