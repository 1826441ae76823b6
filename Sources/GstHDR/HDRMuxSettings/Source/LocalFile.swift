import Glibc
import HDRContainer

/// A regular file on this machine, open for reading. Other kinds of file, such as FIFOs, could block for ever.
final class LocalFile: ByteSource {
    private let descriptor: CInt
    let size: UInt64

    init?(path: String) {
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else { return nil }
        var status = stat()
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            close(opened)
            return nil
        }
        descriptor = opened
        size = UInt64(clamping: status.st_size)
    }

    deinit { close(descriptor) }

    func read(at offset: UInt64, count: Int) throws -> [UInt8] {
        guard let start = off_t(exactly: offset), count > 0 else { return [] }
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let base = buffer.baseAddress {
                let got = pread(descriptor, base + filled, count - filled, start &+ off_t(filled))
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else {
                    throw ContainerError.readFailed(
                        offset: offset, count: count, reason: String(cString: strerror(errno)))
                }
                if got == 0 { return }
                filled += got
            }
        }
    }
}
