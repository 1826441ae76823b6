import Glibc

/// Writes stills to files.
package enum StillFile {
    /// Writes an image in the format that the path's extension names. The file gets its name when it is complete; until
    /// then, and where anything fails, an earlier file keeps that name. A symbolic link is followed.
    /// - Throws: where the extension, the picture or the path is not one that can be written; with the system's reason
    ///   where it has one.
    package static func write(
        _ image: StillImage, to path: String, compression: OpenEXRWriter.Compression = .zip
    ) throws(StillError) {
        let format = try StillFormat(fileName: path)
        try replace(path) { (sink) throws(StillError) in
            switch format {
            case .png: try PNGWriter.write(image, to: sink)
            case .openEXR: try OpenEXRWriter.write(image, compression: compression, to: sink)
            }
        }
    }

    /// Lets `body` write a file under a temporary name in the same folder, and renames it at the end.
    static func replace(
        _ path: String, _ body: (@escaping StillSink) throws(StillError) -> Void
    ) throws(StillError) {
        guard !path.utf8.contains(0) else { throw StillError("\(quoted(path)) is no path: it has a zero byte") }
        let target = try destination(of: path)
        let (temporary, descriptor) = try create(beside: target, for: path)
        do throws(StillError) {
            do throws(StillError) {
                try body { (bytes, offset) throws(StillError) in
                    try write(bytes, at: offset, to: descriptor, of: path)
                }
            } catch {
                close(descriptor)
                throw error
            }
            // Network file systems may report only now that there is no room.
            guard close(descriptor) == 0 else { throw StillError("\(quoted(path)) cannot be written", errno: errno) }
            guard rename(temporary, target) == 0 else {
                throw StillError("\(quoted(path)) cannot be replaced", errno: errno)
            }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// A path for messages. Control characters, which would affect a terminal, are escaped.
    static func quoted(_ path: String) -> String {
        let scalars = path.unicodeScalars.map { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7f..<0xa0:
                return "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: return String(scalar)
            }
        }
        return "\"" + scalars.joined() + "\""
    }

    /// The target of a path. Only a plain file is replaced: a device or a pipe with this name would be lost.
    private static func destination(of path: String) throws(StillError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return try end(of: path) }
            throw StillError("\(quoted(path)) cannot be written", errno: errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw StillError("\(quoted(path)) is a folder; give the name of a file in it")
        default: throw StillError("\(quoted(path)) is not a plain file, and is not replaced by one")
        }
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// The name of the file to be made: the path, or the end of its chain of links.
    private static func end(of path: String) throws(StillError) -> String {
        var path = path
        // The system follows as many links.
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
            let count = readlink(path, &buffer, buffer.count)
            guard count > 0 else { return path }
            guard let link = String(validating: buffer.prefix(count), as: UTF8.self) else {
                throw StillError("\(quoted(path)) is a link to a name that is not UTF-8")
            }
            path = link.utf8.first == UInt8(ascii: "/") ? link : folder(of: path) + link
        }
        throw StillError("\(quoted(path)) cannot be written", errno: ELOOP)
    }

    /// A path up to its last slash; empty where it has none.
    private static func folder(of path: String) -> String {
        let bytes = Array(path.utf8)
        return bytes.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
    }

    /// A new file in the target's folder, with the access rights that the user's mask allows.
    private static func create(
        beside target: String, for path: String
    ) throws(StillError) -> (name: String, descriptor: Int32) {
        let folder = folder(of: target)
        // A name that exists already belongs to something else.
        for _ in 0..<100 {
            let name = folder + ".still-" + String(UInt64.random(in: .min ... .max), radix: 36) + ".part"
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return (name, descriptor) }
            guard errno == EEXIST || errno == EINTR else {
                throw StillError("no file can be made in the folder of \(quoted(path))", errno: errno)
            }
        }
        throw StillError("no file can be made in the folder of \(quoted(path))", errno: EEXIST)
    }

    static func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, to descriptor: Int32, of path: String
    ) throws(StillError) {
        var position = 0
        while position < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(position))
            if count > 0 {
                position += count
            } else if count == 0 || errno != EINTR {
                throw StillError("\(quoted(path)) cannot be written", errno: count == 0 ? ENOSPC : errno)
            }
        }
    }
}
