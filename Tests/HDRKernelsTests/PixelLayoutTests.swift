import HDRColor
import Testing

@testable import HDRKernels

/// What layouts say of the memory of a picture.
@Suite struct PixelLayoutTests {
    /// A plane that a layout does not have holds nothing: GStreamer's frames have one there that repeats a row.
    @Test(arguments: PixelLayout.byName.keys.sorted()) func missingPlanesAreEmpty(_ name: String) throws {
        let layout = try #require(PixelLayout.byName[name])
        guard layout.packing == .words, !layout.isPacked422 else { return }
        let own = Set((layout.components + (layout.alpha.map { [$0] } ?? [])).map(\.plane))
        for plane in 0..<4 {
            let (bytes, rows) = layout.content(ofPlane: plane, width: 6, height: 4)
            #expect((bytes > 0 && rows > 0) == own.contains(plane), "\(plane): \(bytes) bytes, \(rows) rows")
        }
    }
}
