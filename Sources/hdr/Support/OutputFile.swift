import Glibc
import HDRPipeline

/// A file that appears whole: it is written beside its place under a hidden name, and takes the place when that is
/// done. Where the place is a link, it is what the link leads to.
final class OutputFile {
    /// The name that the user gave.
    let name: FileName
    private let place: FileName
    /// The file to write to; it is there, empty.
    let path: FileName
    private var isPublished = false

    /// - Parameters:
    ///   - prefix: what the hidden name begins with.
    ///   - ending: what it ends in; as the place's name where there is none.
    init(_ name: FileName, prefix: String, ending: String? = nil) throws(Failure) {
        self.name = name
        place = Self.target(of: name) ?? name
        let ending = ending ?? place.ending
        let template = place.folder.appending(FileName(".\(prefix)-XXXXXX")) + ending
        var bytes = template.bytes.map { CChar(bitPattern: $0) } + [0]
        let descriptor = mkstemps(&bytes, CInt(ending.utf8.count))
        guard descriptor >= 0 else {
            throw Failure("cannot write \(name.shown): \(String(cString: strerror(errno)))")
        }
        path = FileName(bytes: bytes.map { UInt8(bitPattern: $0) })
        // mkstemps makes files for the owner alone; this one gets what any new file would.
        let mask = umask(0)
        umask(mask)
        fchmod(descriptor, 0o666 & ~mask)
        close(descriptor)
    }

    /// A file that other code publishes or removes.
    init(_ name: FileName, at path: FileName) {
        self.name = name
        (place, self.path) = (path, path)
        isPublished = true
    }

    /// Removes the file where it was not published.
    deinit { if !isPublished { _ = path.withPointer { unlink($0) } } }

    /// Writes text behind what is in the file.
    func write(_ text: String) throws(Failure) { try write(Array(text.utf8)) }

    /// Writes bytes behind what is in the file.
    func write(_ bytes: [UInt8]) throws(Failure) {
        let descriptor = path.withPointer { open($0, O_WRONLY | O_APPEND | O_CLOEXEC) }
        defer { if descriptor >= 0 { close(descriptor) } }
        var bytes = bytes[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Failure("cannot write \(name.shown): \(String(cString: strerror(errno)))") }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Moves the file to its place.
    /// - Throws: where that fails, and ``Interruption``: after an interruption the previous file stays.
    func publish() throws { try Self.publish([self]) }

    /// Puts files that belong together into their places: all of them, or none where that is interrupted.
    static func publish(_ files: [OutputFile]) throws {
        try Interruption.check()
        for file in files { try file.move() }
    }

    private func move() throws(Failure) {
        let result = path.withPointer { from in place.withPointer { rename(from, $0) } }
        guard result == 0 else { throw Failure("cannot write \(name.shown): \(String(cString: strerror(errno)))") }
        isPublished = true
    }

    /// The target of a link; `nil` for a file that is not a link.
    private static func target(of name: FileName) -> FileName? {
        guard name.isLink else { return nil }
        return name.withPointer { text in
            guard let resolved = realpath(text, nil) else { return nil }
            defer { free(resolved) }
            return FileName(resolved)
        } ?? name.danglingTarget
    }

    // MARK: Checks

    /// Refuses the name by which other programs mean standard output; a file that is called so is `./-`.
    static func checkIsFile(_ name: FileName, endings: [String]) throws(UsageError) {
        guard name.bytes == Array("-".utf8) else { return }
        throw UsageError(
            "standard output (-) is no place for what is written: name a file"
                + (endings.first.map { ", for example out\($0)" } ?? "; ./- is one of this name"))
    }

    /// Checks everything about an output that can be checked before the work.
    /// - Parameters:
    ///   - endings: that its name may have, with their dots; none for any.
    ///   - inputs: that it must not be.
    ///   - force: whether it may replace a file.
    /// - Throws: ``UsageError`` for an ending that its name may not have, else ``Failure``.
    static func check(_ name: FileName, endings: [String], inputs: [FileName], force: Bool) throws {
        let shown = name.shown
        guard !name.bytes.isEmpty else { throw Failure("the output has no name: name the file to write") }
        try checkIsFile(name, endings: endings)
        guard !name.isTooLong else { throw Failure("\(shown) is too long for a file's name: name a shorter output") }
        guard !name.isAddress else { throw Failure("\(shown) is an address: write a file, and upload that") }
        if name.kind == .folder || name.bytes.last == UInt8(ascii: "/") {
            let example = name.appending(FileName("out" + (endings.first ?? ""))).shown
            throw Failure("\(shown) is a folder: name the file to write, for example \(example)")
        }
        guard endings.isEmpty || endings.contains(where: { name.hasEnding($0) }) else {
            let others = endings.dropLast().joined(separator: ", ")
            throw UsageError(
                "\(shown) should end in \(others.isEmpty ? "" : others + " or ")\(endings.last ?? "")")
        }
        let place = target(of: name) ?? name
        if name.isLink, place.isLink {
            // The system's links to pipes and sockets, such as /dev/stdout, lead to no name.
            let reason = name.kind == nil ? "a link that leads to itself" : "not a regular file"
            throw Failure("\(shown) is \(reason): name another output")
        }
        let folder = place.folder
        guard folder.kind == .folder else {
            throw Failure("there is no folder \(folder.shown): create it first (mkdir -p)")
        }
        guard folder.withPointer({ access($0, W_OK | X_OK) }) == 0 else {
            throw Failure("the folder \(folder.shown) cannot be written to: name an output elsewhere")
        }
        guard let kind = place.kind else {
            if name.isLink, !force {
                throw Failure(
                    "\(shown) is a link to \(place.shown), which is not there: name another output, or add --force to "
                        + "write it")
            }
            return
        }
        if inputs.contains(where: { $0.isSameFile(as: place) }) {
            throw Failure("\(shown) is the input itself: name another output")
        }
        guard kind == .file else { throw Failure("\(shown) is not a regular file: name another output") }
        guard force else {
            throw Failure("\(shown) exists already: name another output, or add --force to replace it")
        }
    }
}
