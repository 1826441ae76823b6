import Glibc
import HDRPipeline

/// Information of the file system.
extension FileName {
    enum Kind { case file, folder, other }

    /// The name for messages: on one line, with terminal control characters and bytes that are not UTF-8 escaped.
    var shown: String {
        var text = ""
        var rest = bytes[...]
        while !rest.isEmpty {
            let length = (1...4).first { String(validating: rest.prefix($0), as: UTF8.self)?.unicodeScalars.count == 1 }
            if let length, let scalar = String(validating: rest.prefix(length), as: UTF8.self) {
                text += Output.printable(scalar)
            } else if let byte = rest.first {
                text += "\\x" + Unicode.Scalar(byte).hex(2)
            }
            rest = rest.dropFirst(length ?? 1)
        }
        return text
    }

    /// Whether it looks like an address, and there is no such folder.
    var isAddress: Bool { kind == nil && folder.kind == nil && description.contains("://") }

    /// Whether it ends in lower-case text, in whatever case.
    func hasEnding(_ ending: String) -> Bool { description.lowercased().hasSuffix(ending) }

    private var status: stat? {
        var status = stat()
        return withPointer({ stat($0, &status) }) == 0 ? status : nil
    }

    /// The kind of the file, or of the file that it links to; `nil` where it does not exist.
    var kind: Kind? {
        switch status.map({ $0.st_mode & S_IFMT }) {
        case S_IFREG?: .file
        case S_IFDIR?: .folder
        case nil: nil
        default: .other
        }
    }

    /// Whether the system has no room for such a name, or for the way to it.
    var isTooLong: Bool {
        var status = stat()
        return withPointer({ lstat($0, &status) }) != 0 && errno == ENAMETOOLONG
    }

    var isLink: Bool {
        var status = stat()
        return withPointer({ lstat($0, &status) }) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    func isSameFile(as other: FileName) -> Bool {
        guard let own = status, let others = other.status else { return false }
        return own.st_dev == others.st_dev && own.st_ino == others.st_ino
    }

    /// The target of a link to a file that does not exist.
    var danglingTarget: FileName? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = withPointer { name in
            buffer.withUnsafeMutableBytes { bytes in
                bytes.baseAddress.map { readlink(name, $0.assumingMemoryBound(to: CChar.self), bytes.count) } ?? -1
            }
        }
        guard count > 0, count < buffer.count else { return nil }
        let target = FileName(bytes: buffer[..<count])
        return target.bytes.first == UInt8(ascii: "/") ? target : folder.appending(target)
    }

    /// The names in a folder, sorted, without hidden ones.
    var content: [FileName] {
        guard let stream = withPointer({ opendir($0) }) else { return [] }
        defer { closedir(stream) }
        var names: [FileName] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { FileName($0) }
            }
            if name.bytes.first != UInt8(ascii: ".") { names.append(name) }
        }
        return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map { appending($0) }
    }
}
