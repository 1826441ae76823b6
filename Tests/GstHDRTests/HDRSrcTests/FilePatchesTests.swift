import CGStreamer
@testable import HDRContainer
import Testing

@testable import GstHDR

/// Bytes that are read in the place of a file's.
@Suite(.quiet) struct FilePatchesTests {
    /// The bytes of a piece of a file of zeros after the patches.
    private func read(_ patches: [MovieEdits.Patch], from offset: UInt64, count: Int, isShared: Bool = false)
        -> [UInt8]?
    {
        GStreamer.started
        guard let buffer = UnsafeMutablePointer<GstBuffer>([UInt8](repeating: 0, count: count)) else { return nil }
        buffer.pointee.offset = guint64(offset)
        if isShared { gst_buffer_ref(buffer) }
        defer { if isShared { gst_buffer_unref(buffer) } }
        guard let changed = FilePatches.applied(patches, to: buffer) else {
            gst_buffer_unref(buffer)
            return nil
        }
        defer { gst_buffer_unref(changed) }
        #expect((changed == buffer) != isShared)
        if isShared { #expect(buffer.withBytes { $0.allSatisfy { $0 == 0 } } == true) }
        return changed.withBytes { Array($0) }
    }

    private let patches = [
        MovieEdits.Patch(offset: 10, bytes: [1, 2, 3, 4]), MovieEdits.Patch(offset: 20, bytes: [5, 6]),
    ]

    @Test(arguments: [false, true]) func piecesOfAFile(isShared: Bool) {
        func read(_ offset: UInt64, _ count: Int) -> [UInt8]? {
            self.read(patches, from: offset, count: count, isShared: isShared)
        }
        #expect(read(8, 8) == [0, 0, 1, 2, 3, 4, 0, 0])
        #expect(read(12, 3) == [3, 4, 0])
        #expect(read(0, 12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2])
        #expect(read(13, 8) == [4, 0, 0, 0, 0, 0, 0, 5])
        #expect(read(0, 10) == nil && read(14, 6) == nil && read(22, 5) == nil)
    }

    @Test func offsetsAtTheLimit() {
        let last = [MovieEdits.Patch(offset: .max - 1, bytes: [1, 2, 3])]
        #expect(read(last, from: .max, count: 4) == nil)
        #expect(read(last, from: .max - 2, count: 4) == nil)
        #expect(read(patches, from: .max - 9, count: 4) == nil)
        #expect(read([MovieEdits.Patch(offset: 3, bytes: [])], from: 0, count: 4) == [0, 0, 0, 0])
    }
}
