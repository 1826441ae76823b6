import Glibc
import HDRPipeline

/// Files that are read whole.
enum TextFile {
    /// More is no edit list.
    private static let limit = 16 << 20

    static func read(_ file: FileName) throws(Failure) -> [UInt8] {
        let bytes = try read(file, upTo: limit + 1)
        guard bytes.count <= limit else { throw Failure("\(file.shown) is no edit list: it is larger than 16 MiB") }
        return bytes
    }

    /// The first bytes of a file, fewer where it is shorter or cannot be read.
    static func start(of file: FileName, count: Int) -> [UInt8] { (try? read(file, upTo: count)) ?? [] }

    private static func read(_ file: FileName, upTo count: Int) throws(Failure) -> [UInt8] {
        let descriptor = file.withPointer { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw Failure("cannot read \(file.shown): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(65536, count))
        while bytes.count < count {
            let got = Glibc.read(descriptor, &part, min(part.count, count - bytes.count))
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Failure("cannot read \(file.shown): \(String(cString: strerror(errno)))") }
            guard got > 0 else { break }
            bytes += part[..<got]
        }
        return bytes
    }
}
