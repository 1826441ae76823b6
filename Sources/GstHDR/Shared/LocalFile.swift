import Glibc
import HDRContainer

/// A regular file on this machine, open for reading. Other kinds of file, such as FIFOs, could block for ever.
final class LocalFile: ByteSource {
    private let descriptor: CInt
    let size: UInt64

    /// Why a file cannot be opened.
    enum Refusal: Error, Equatable {
        case absent, folder, notRegular, empty, notAllowed
        /// The system's error text.
        case other(String)

        fileprivate init(_ code: CInt) {
            switch code {
            case ENOENT, ENOTDIR: self = .absent
            case EACCES, EPERM: self = .notAllowed
            default: self = .other(String(cString: strerror(code)))
            }
        }
    }

    /// - Parameter path: the path in the system's bytes, which need not be UTF-8, without a terminating zero.
    init(path: [UInt8]) throws(Refusal) {
        var status = stat()
        let name = path.map { CChar(bitPattern: $0) } + [0]
        guard stat(name, &status) == 0 else { throw Refusal(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .folder
        default: throw .notRegular
        }
        guard status.st_size > 0 else { throw .empty }
        let opened = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else { throw Refusal(errno) }
        // Another file may have replaced it since.
        guard fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else {
            close(opened)
            throw .notRegular
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
