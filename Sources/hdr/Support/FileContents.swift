import Glibc
import HDRPipeline

/// Small files, which are read at once.
extension FileName {
    /// All bytes of a file.
    /// - Parameters:
    ///   - limit: more bytes are an error.
    ///   - what: what the file should be, as "edit list".
    func contents(upTo limit: Int, of what: String) throws(Failure) -> [UInt8] {
        let bytes = try first(limit + 1)
        guard bytes.count <= limit else {
            throw Failure("\(shown) is no \(what): it is larger than \(limit >> 20) MiB")
        }
        return bytes
    }

    /// The first bytes of a file, fewer where it is shorter or cannot be read.
    func start(_ count: Int) -> [UInt8] { (try? first(count)) ?? [] }

    private func first(_ count: Int) throws(Failure) -> [UInt8] {
        let descriptor = withPointer { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw Failure("cannot read \(shown): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: min(65536, count))
        while bytes.count < count {
            let got = Glibc.read(descriptor, &part, min(part.count, count - bytes.count))
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Failure("cannot read \(shown): \(String(cString: strerror(errno)))") }
            guard got > 0 else { break }
            bytes += part[..<got]
        }
        return bytes
    }
}
