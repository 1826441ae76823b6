import HDRColor
import Testing

@testable import HDRKernels

/// A picture comes out the same however it is cut into bands, padded or sized.
@Suite struct SliceConverterTests {
    static let cases: [(String, String)] = [
        ("P010_10LE", "NV12"), ("I420_10LE", "I420"), ("v210", "Y42B"), ("Y444_16LE", "P010_10LE"),
        ("RGBA64_LE", "v210"),
        ("I420", "BGRA"), ("ARGB", "I420_12LE"),
    ]
    static let sitings: [ChromaSiting] = [.left, .topLeft, .center]

    static func plan(_ from: PixelLayout, _ to: PixelLayout) -> ConversionPlan {
        ConversionPlan(source: .pq(from), target: .sdr(to), settings: .clipped)
    }

    @Test(arguments: cases) func bandsAndPaddingChangeNothing(_ from: String, _ to: String) {
        for (w, h) in [(1, 1), (2, 2), (3, 5), (38, 9), (67, 35)] {
            for siting in Self.sitings {
                for quality in Quality.allCases where quality != .reference || w < 10 {
                    let dither = siting == .topLeft ? Dither.blueNoise : .ordered
                    let source = Picture(layout(from), w, h)
                    source.fill(3)
                    let padded = Picture(layout(from), w, h, padding: 34)
                    padded.fill(3)
                    let plan = Self.plan(source.layout, layout(to))
                    let whole = Picture(layout(to), w, h)
                    convert(source, whole, plan, quality: quality, siting: (siting, siting), dither: dither)
                    for threads in 2...4 {
                        let cut = Picture(layout(to), w, h, padding: 18)
                        convert(
                            padded, cut, plan, quality: quality, threads: threads, siting: (siting, siting),
                            dither: dither)
                        #expect(cut.content == whole.content, "\(from) \(to) \(w)x\(h) \(threads) threads \(siting)")
                        #expect(!cut.guardIsBroken)
                    }
                }
            }
        }
    }

    @Test func largeOddPicture() {
        let source = Picture(layout("I420_10LE"), 1919, 1079, padding: 2)
        source.fill(4)
        let one = Picture(layout("NV12"), 1919, 1079)
        let three = Picture(layout("NV12"), 1919, 1079, padding: 7)
        let plan = Self.plan(source.layout, one.layout)
        convert(source, one, plan)
        convert(source, three, plan, threads: 3)
        #expect(one.content == three.content)
        #expect(!one.guardIsBroken && !three.guardIsBroken)
    }

    @Test func bandsCoverEveryRowOnce() {
        for height in [1, 2, 3, 16, 17, 1079, 1080] {
            for threads in [1, 2, 3, 5, 64] {
                let converter = PictureConverter(
                    plan: Self.plan(layout("NV12"), layout("NV12")),
                    format: FormatPlan(
                        source: layout("NV12"), target: layout("NV12"), sourceSiting: .left, targetSiting: .left,
                        chromaMode: .linear, dither: .none),
                    quality: .fast, width: 8, threads: threads)
                let rows = (0..<threads).flatMap { Array(converter.rows(ofSlice: $0, of: threads, height: height)) }
                #expect(rows == Array(0..<height))
            }
        }
    }

    /// A frame that does not fit the plan is left alone; it must not be written out of bounds.
    @Test func wrongSizesAreLeftAlone() {
        let source = Picture(layout("NV12"), 8, 8)
        source.fill(1)
        let target = Picture(layout("NV12"), 8, 4)
        let before = target.content
        convert(source, target, Self.plan(source.layout, target.layout))
        #expect(target.content == before)
    }

    /// Fields of an interlaced picture are pictures of their own.
    @Test func fieldsAreSeparate() throws {
        let source = Picture(layout("I420_10LE"), 6, 7)
        source.fill(8)
        let top = try #require(source.view.field(0))
        let bottom = try #require(source.view.field(1))
        #expect(top.height == 4 && bottom.height == 3)
        #expect(bottom.row(0, 0) == source.view.row(0, 1) && bottom.row(1, 1) == source.view.row(1, 3))
        #expect(Picture(layout("I420"), 2, 1).view.field(1) == nil)
    }
}
