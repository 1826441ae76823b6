import Glibc
import HDRContainer
import HDRPipeline

/// A file name in the system's bytes.
struct InputPath {
    /// They end with a zero.
    let bytes: [CChar]
    /// The unescaped name; printing it needs `Output.printable`.
    let name: String

    init(_ text: UnsafePointer<CChar>) {
        bytes = Array(UnsafeBufferPointer(start: text, count: strlen(text))) + [0]
        name = String(cString: text)
    }

    init(_ file: FileName) { self = file.withPointer { InputPath($0) } }

    var fileName: FileName { FileName(bytes: bytes.map { UInt8(bitPattern: $0) }) }

    func withPointer<Result>(_ body: (UnsafePointer<CChar>?) -> Result) -> Result {
        bytes.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}

/// A regular file, open for reading.
final class InputFile: ByteSource {
    private let descriptor: CInt
    let size: UInt64

    /// Opening anything but a regular file could wait for ever.
    init(_ path: InputPath) throws(Failure) {
        var status = stat()
        guard path.withPointer({ $0.map { stat($0, &status) } ?? -1 }) == 0 else {
            let code = errno
            throw path.fileName.isAddress ? Failure(InputCheck.isAddress) : Self.reason(code)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw Failure("is a folder without videos: name files")
        case S_IFIFO: throw Failure("is a pipe, in which nothing can be looked up twice: save it to a file first")
        default: throw Failure("is a device or a socket: name a file")
        }
        guard status.st_size > 0 else { throw Failure("is empty: copy or record it again") }
        descriptor = path.withPointer { $0.map { open($0, O_RDONLY | O_CLOEXEC) } ?? -1 }
        guard descriptor >= 0 else { throw Self.reason(errno) }
        size = UInt64(clamping: status.st_size)
    }

    deinit { close(descriptor) }

    func read(at offset: UInt64, count: Int) throws -> [UInt8] {
        guard let start = off_t(exactly: offset), count > 0 else { return [] }
        return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                guard let base = buffer.baseAddress else { return }
                let got = pread(descriptor, base + filled, count - filled, start + off_t(filled))
                if got < 0, errno == EINTR { continue }
                guard got >= 0 else {
                    throw ContainerError.readFailed(
                        offset: offset, count: count, reason: String(cString: strerror(errno)))
                }
                guard got > 0 else { return }
                filled += got
            }
        }
    }

    private static func reason(_ code: CInt) -> Failure {
        switch code {
        case ENOENT: Failure("no such file: check the name")
        case ENOTDIR: Failure("no such file: a part of its path is no folder")
        case EACCES, EPERM: Failure("may not be read: change its permissions (chmod +r)")
        default: Failure("cannot be opened: \(String(cString: strerror(code)))")
        }
    }
}
