import HDRColor
import Testing

@testable import HDRKernels

@Suite struct ActiveAreaFinderTests {
    /// A picture that is bright in an area and black elsewhere, with noise of a code of eight bits.
    static func picture(_ name: String, _ columns: Range<Int>, _ rows: Range<Int>) -> Picture {
        let layout = layout(name)
        let q = ColorSignal.pq(layout).quantization
        return KernelColors.picture(layout, 64, 48, q) { i in
            let isInside = columns.contains(i % 64) && rows.contains(i / 64)
            return SIMD3(repeating: isInside ? 0.5 : i % 3 == 0 ? 0.004 : 0)
        }
    }

    static func finder(_ name: String) -> ActiveAreaFinder {
        ActiveAreaFinder(layout: layout(name), signal: .pq(layout(name)), width: 64, height: 48)!
    }

    static func area(_ name: String, _ pictures: [(Range<Int>, Range<Int>)]) -> PictureArea? {
        var finder = finder(name)
        for (columns, rows) in pictures { finder.add(picture(name, columns, rows).view) }
        return finder.area
    }

    @Test(arguments: ["Y444", "Y444_10LE", "RGB", "RGB10A2_LE", "GBR_12LE"]) func bars(_ name: String) {
        #expect(Self.area(name, [(0..<64, 6..<42)]) == PictureArea(columns: 0..<64, rows: 6..<42))
        #expect(Self.area(name, [(8..<56, 0..<48)]) == PictureArea(columns: 8..<56, rows: 0..<48))
        #expect(Self.area(name, [(8..<56, 6..<42)]) == PictureArea(columns: 8..<56, rows: 6..<42))
        // Starts are even.
        #expect(Self.area(name, [(9..<55, 7..<41)]) == PictureArea(columns: 8..<55, rows: 6..<41))
    }

    @Test func whatIsNoBar() {
        #expect(Self.area("Y444", []) == nil)
        #expect(Self.area("Y444", [(0..<64, 0..<48)]) == nil)
        // All black.
        #expect(Self.area("Y444", [(0..<0, 0..<0)]) == nil)
        // A small light in the dark, a dark sky, something dark on one side.
        #expect(Self.area("Y444", [(28..<36, 20..<28)]) == nil)
        #expect(Self.area("Y444", [(0..<64, 12..<48)]) == nil)
        #expect(Self.area("Y444", [(0..<50, 0..<48)]) == nil)
        // Opposite bars of different thickness, and of nearly the same.
        #expect(Self.area("Y444", [(0..<64, 4..<38)]) == nil)
        #expect(Self.area("Y444", [(0..<64, 4..<42)]) == PictureArea(columns: 0..<64, rows: 4..<42))
    }

    @Test func everyPictureCounts() {
        let bars = (0..<64, 6..<42)
        #expect(Self.area("Y444", [(0..<0, 0..<0), bars, (20..<30, 20..<30)])?.rows == 6..<42)
        #expect(Self.area("Y444", [(20..<30, 20..<30), bars, (0..<0, 0..<0)])?.rows == 6..<42)
        #expect(Self.area("Y444", [bars, (0..<64, 0..<48)]) == nil)
        #expect(Self.area("Y444", [bars, (30..<31, 47..<48)]) == nil)
        // Subtitles in a bar make it none.
        #expect(Self.area("Y444", [bars, (20..<40, 45..<47)]) == nil)
        // Columns grow where rows are known.
        #expect(Self.area("Y444", [(10..<54, 0..<48), (8..<56, 3..<4)])?.columns == 8..<56)
    }

    @Test func aPictureOfAnotherSizeIsLeftAlone() {
        var finder = Self.finder("Y444")
        let other = Picture(layout("Y444"), 64, 50)
        other.fill(1)
        finder.add(other.view)
        #expect(finder.area == nil)
        finder.add(Self.picture("Y444", 0..<64, 6..<42).view)
        #expect(finder.area?.rows == 6..<42)
        #expect(ActiveAreaFinder(layout: layout("Y444"), signal: .pq(layout("Y444")), width: 0, height: 2) == nil)
        #expect(ActiveAreaFinder(layout: layout("Y444"), signal: .pq(layout("RGB")), width: 4, height: 2) == nil)
    }
}
