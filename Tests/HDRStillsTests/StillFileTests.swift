import Foundation
import TestSupport
import Testing

@testable import HDRStills

@Suite struct StillFileTests {
    private let folder: TemporaryFolder
    private let picture = PaddedImage(.rgba16, 200, 100)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func error(writing picture: PaddedImage, to path: String) throws -> String? {
        try picture.withImage { image in
            do throws(StillError) {
                try StillFile.write(image, to: path)
                return nil
            } catch {
                return error.message
            }
        }
    }

    @Test func formatsGoByTheName() throws {
        #expect(try error(writing: picture, to: folder.path("a.png")) == nil)
        #expect(try PNGReader([UInt8](folder.data("a.png"))).width == 200)
        #expect(try error(writing: PaddedImage(.rgbaFloat, 20, 10), to: folder.path("a.EXR")) == nil)
        #expect(try OpenEXRReader([UInt8](folder.data("a.EXR"))).width == 20)
        #expect(try error(writing: picture, to: folder.path("a.jpg"))?.contains(".png or .exr") == true)
        #expect(folder.names == ["a.EXR", "a.png"])
    }

    @Test func filesAreReplacedWhole() throws {
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path("a.png")))
        #expect(try error(writing: picture, to: folder.path("a.png")) == nil)
        #expect(try PNGReader([UInt8](folder.data("a.png"))).width == 200)
        #expect(folder.names == ["a.png"])
    }

    @Test func failureKeepsTheOldFile() throws {
        try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path("a.png")))
        let path = folder.path("a.png")
        #expect(throws: StillError("full")) {
            try StillFile.replace(path) { (sink) throws(StillError) in
                try [UInt8](repeating: 1, count: 1000).withUnsafeBufferPointer { (bytes) throws(StillError) in
                    try sink(UnsafeRawBufferPointer(bytes), 0)
                }
                #expect(folder.names.count == 2, "the new file stands beside the old one")
                throw StillError("full")
            }
        }
        #expect(try folder.data("a.png") == Data("old".utf8))
        // A picture that the format cannot hold.
        #expect(try error(writing: PaddedImage(.rgbaHalf, 2, 2), to: path)?.contains("OpenEXR") == true)
        #expect(try folder.data("a.png") == Data("old".utf8))
        #expect(folder.names == ["a.png"])
    }

    @Test func aFullDiskIsNamed() throws {
        let device = open("/dev/full", O_WRONLY)
        try #require(device >= 0)
        defer { close(device) }
        _ = try picture.withImage { image in
            #expect {
                try PNGWriter.write(image) { (bytes, offset) throws(StillError) in
                    try StillFile.write(bytes, at: offset, to: device, of: "a.png")
                }
            } throws: { error in
                "\(error)".contains("No space left on device") && "\(error)".contains("a.png")
            }
        }
    }

    /// Needs the right to mount.
    @Test(.enabled(if: geteuid() == 0 && SmallDisk.canMount, "a small file system needs root's rights"))
    func aFullDiskKeepsTheOldFile() throws {
        let disk = try SmallDisk(folder.path("disk"), size: 64 << 10)
        defer { disk.unmount() }
        let path = folder.path("disk/a.png")
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try error(writing: picture, to: path)?.contains("No space left on device") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("old".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("disk")) == ["a.png"])
    }

    @Test func pathsThatCannotBeWritten() throws {
        #expect(
            try error(writing: picture, to: folder.path("none/a.png"))?.contains("No such file or directory") == true)
        try Data().write(to: URL(fileURLWithPath: folder.path("plain")))
        #expect(try error(writing: picture, to: folder.path("plain/a.png"))?.contains("Not a directory") == true)
        try FileManager.default.createDirectory(atPath: folder.path("b.png"), withIntermediateDirectories: true)
        #expect(try error(writing: picture, to: folder.path("b.png"))?.contains("is a folder") == true)
        let long = String(repeating: "x", count: 300) + ".png"
        #expect(try error(writing: picture, to: folder.path(long))?.contains("File name too long") == true)
        #expect(try error(writing: picture, to: folder.path("a") + "\0.png")?.contains("zero byte") == true)
        #expect(try error(writing: picture, to: "")?.contains("no extension") == true)
        #expect(folder.names == ["b.png", "plain"])
    }

    @Test func pipesAndDevicesAreNotReplaced() throws {
        let pipe = folder.path("pipe.png")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(try error(writing: picture, to: pipe)?.contains("not a plain file") == true)
        #expect(folder.names == ["pipe.png"])
    }

    @Test func linksAreFollowed() throws {
        let target = folder.path("target.png")
        try Data("old".utf8).write(to: URL(fileURLWithPath: target))
        try FileManager.default.createSymbolicLink(atPath: folder.path("link.png"), withDestinationPath: "target.png")
        #expect(try error(writing: picture, to: folder.path("link.png")) == nil)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link.png")) == "target.png")
        #expect(try PNGReader([UInt8](folder.data("target.png"))).width == 200)
    }

    @Test func linksToNothingAreFollowed() throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder.path("other"), withIntermediateDirectories: false)
        try manager.createSymbolicLink(atPath: folder.path("other/second.png"), withDestinationPath: "target.png")
        try manager.createSymbolicLink(atPath: folder.path("first.png"), withDestinationPath: "other/second.png")
        #expect(try error(writing: picture, to: folder.path("first.png")) == nil)
        #expect(try manager.destinationOfSymbolicLink(atPath: folder.path("first.png")) == "other/second.png")
        #expect(try PNGReader([UInt8](folder.data("other/target.png"))).width == 200)
        try manager.createSymbolicLink(atPath: folder.path("loop.png"), withDestinationPath: "loop.png")
        #expect(try error(writing: picture, to: folder.path("loop.png"))?.contains("cannot be written") == true)
        #expect(folder.names == ["first.png", "loop.png", "other"])
    }

    @Test func messagesHaveNoControlCharacters() throws {
        let message = try #require(try error(writing: picture, to: folder.path("a\u{1b}[31m\n\u{9b}/b.png")))
        #expect(message.contains("a\\x1b[31m\\x0a\\x9b/b.png"))
        let ending = try #require(try error(writing: picture, to: folder.path("a.p\u{1b}ng")))
        #expect(!ending.contains("\u{1b}"))
    }

    @Test func longNamesAreWritten() throws {
        let name = String(repeating: "x", count: 251) + ".png"
        #expect(try error(writing: picture, to: folder.path(name)) == nil)
        #expect(folder.names == [name])
    }

    @Test func accessRightsAreTheUsers() throws {
        #expect(try error(writing: picture, to: folder.path("a.png")) == nil)
        let mask = umask(0)
        umask(mask)
        let rights = try FileManager.default.attributesOfItem(atPath: folder.path("a.png"))[.posixPermissions] as? Int
        #expect(rights == Int(0o666 & ~mask))
    }
}

/// A file system in memory.
private struct SmallDisk {
    let path: String

    static let canMount: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        guard let disk = try? SmallDisk(folder.path("probe"), size: 4096) else { return false }
        disk.unmount()
        return true
    }()

    init(_ path: String, size: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try #require(mount("none", path, "tmpfs", 0, "size=\(size)") == 0)
    }

    func unmount() { umount(path) }
}
