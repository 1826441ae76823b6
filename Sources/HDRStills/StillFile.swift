import Glibc

/// Writes stills to files.
public enum StillFile {
    /// Writes an image in the format that the path's extension names. The file appears under its name when it is complete;
    /// until then, and where anything fails, what had the name before keeps it. A symbolic link is followed.
    /// - Throws: where the extension, the picture or the path is not one that can be written; with the system's reason where
    ///   it has one.
    public static func write(
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

    /// Lets `body` write a file under a temporary name in the same folder, and gives it its name at the end.
    static func replace(
        _ path: String, _ body: (@escaping StillSink) throws(StillError) -> Void
    ) throws(StillError) {
        guard !path.utf8.contains(0) else { throw StillError("\"\(path)\" is no path: it has a zero byte") }
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
            // Network file systems may say only now that there is no room.
            guard close(descriptor) == 0 else { throw StillError("\"\(path)\" cannot be written", errno: errno) }
            guard rename(temporary, target) == 0 else {
                throw StillError("\"\(path)\" cannot be replaced", errno: errno)
            }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// What a path leads to. Only a plain file is replaced: a device or a pipe with this name would be lost.
    private static func destination(of path: String) throws(StillError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            if errno == ENOENT { return path }
            throw StillError("\"\(path)\" cannot be written", errno: errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw StillError("\"\(path)\" is a folder; give the name of a file in it")
        default: throw StillError("\"\(path)\" is not a plain file, and is not replaced by one")
        }
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// A new file in the target's folder, with the access rights that the user's mask allows.
    private static func create(
        beside target: String, for path: String
    ) throws(StillError) -> (name: String, descriptor: Int32) {
        let bytes = Array(target.utf8)
        let folder = bytes.lastIndex(of: UInt8(ascii: "/")).map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
        // A name that exists already is somebody else's.
        for _ in 0..<100 {
            let name = folder + ".still-" + String(UInt64.random(in: .min ... .max), radix: 36) + ".part"
            let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return (name, descriptor) }
            guard errno == EEXIST || errno == EINTR else {
                throw StillError("no file can be made in the folder of \"\(path)\"", errno: errno)
            }
        }
        throw StillError("no file can be made in the folder of \"\(path)\"", errno: EEXIST)
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
                throw StillError("\"\(path)\" cannot be written", errno: count == 0 ? ENOSPC : errno)
            }
        }
    }
}
