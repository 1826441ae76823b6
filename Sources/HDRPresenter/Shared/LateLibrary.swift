import CLateBinding
import CWayland
import CXCB
import Glibc
import HDRConcurrency

/// A shared library of the desktop that a presenter loads when it opens, because the plugin has to load without it.
///
/// Once loaded it stays loaded, because its functions stay bound.
struct LateLibrary: @unchecked Sendable {
    /// The library's soname.
    var file: String
    /// The Debian package that contains it.
    let package: String
    /// The table of the library's symbols, which exists as long as the process.
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

    /// The files of the libraries that are loaded and bound.
    private static let loaded = Locked<Set<String>>([])

    /// Makes the library's functions callable. Any thread may call it.
    func load() throws(PresenterError) {
        try Self.loaded.withLock { loaded throws(PresenterError) in
            if loaded.contains(file) { return }
            guard let handle = dlopen(file, RTLD_NOW | RTLD_LOCAL) else {
                let reason = dlerror().map { String(cString: $0) } ?? "unknown reason"
                throw PresenterError(
                    "The library \(file) does not load (\(reason)): install the Debian package \(package).")
            }
            if let missing = late_bind(table, handle) {
                dlclose(handle)
                throw PresenterError(
                    "The library \(file) has no \(String(cString: missing)): install a newer \(package).")
            }
            loaded.insert(file)
        }
    }
}
