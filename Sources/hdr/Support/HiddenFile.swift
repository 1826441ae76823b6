import Glibc
import HDRPipeline

/// A file without a name in the file system, with a path in this process alone, which is removed with this object.
final class HiddenFile {
    private let descriptor: CInt

    var path: String { "/proc/self/fd/\(descriptor)" }

    /// - Parameters:
    ///   - purpose: what the file holds, for the message where it cannot be stored.
    ///   - remedy: what to do about that.
    init(_ bytes: [UInt8], purpose: String, remedy: String) throws(Failure) {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var name = Array((folder + "/hdr-XXXXXX").utf8CString)
        descriptor = mkstemp(&name)
        if descriptor >= 0 { unlink(name) }
        var rest = bytes[...]
        while descriptor >= 0, !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        guard descriptor >= 0, rest.isEmpty else {
            throw Failure("\(purpose) cannot be stored in \(folder): \(String(cString: strerror(errno))): \(remedy)")
        }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
