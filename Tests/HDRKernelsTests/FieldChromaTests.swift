import HDRColor
import Testing

@testable import HDRKernels

/// Chroma of interlaced pictures with half the rows of it, which are converted by their fields.
///
/// Row k of chroma lies at row 2k + 0.5 of the picture, as in a progressive one, though it belongs to the rows of one
/// field (ISO/IEC 13818-2, 6.1.1.8): chroma that changes evenly from row to row stays where it is.
@Suite struct FieldChromaTests {
    static let height = 37

    /// The chroma of a picture whose rows change by two codes each.
    private func ramp(_ row: Double) -> Double { 400 + 2 * row }

    private func ramps(_ format: String, _ width: Int) -> Picture {
        let picture = Picture(layout(format), width, Self.height)
        picture.clear()
        for c in 0..<3 {
            let (columns, rows) = picture.extent(c)
            let isHalved = rows < Self.height
            picture[c] = (0..<rows * columns).map { i in
                let row = Double(i / columns)
                return c == 0 ? 500 : Int(ramp(isHalved ? 2 * row + 0.5 : row).rounded())
            }
        }
        return picture
    }

    private func convertFields(_ source: Picture, _ target: Picture, _ converter: PictureConverter) throws {
        for parity in 0...1 {
            let (from, to) = (try #require(source.view.field(parity)), try #require(target.view.field(parity)))
            for slice in 0..<converter.threads { converter.convert(from, to, slice: slice) }
        }
    }

    static let formats = [
        ("I420_10LE", "Y444_10LE"), ("P010_10LE", "I422_10LE"), ("Y444_10LE", "I420_10LE"), ("v210", "P010_10LE"),
        ("I420_10BE", "Y444_10LE"),
    ]

    /// Rows whose neighbours in the field do not repeat at an edge have the ramp's chroma.
    @Test(arguments: formats, Kernel.all) func staysInPlace(_ formats: (String, String), _ kernel: Kernel) throws {
        let (from, to) = (layout(formats.0), layout(formats.1))
        let source = ramps(formats.0, 96)
        var job = Job("\(formats)", .pq(from), .pq(to), (from, to))
        job.format.hasFields = true
        let target = Picture(to, 96, Self.height)
        try convertFields(source, target, job.converter(kernel, width: 96, threads: 2))
        for c in 1...2 {
            let (columns, rows) = target.extent(c)
            let isHalved = rows < Self.height
            for row in 4..<(rows - 4) {
                let exact = ramp(isHalved ? 2 * Double(row) + 0.5 : Double(row))
                let made = Double(target[c][row * columns + columns / 2])
                #expect(abs(made - exact) <= 0.51, "component \(c), row \(row)")
            }
        }
    }

    /// The kernels give what the definition gives, where colours change too.
    @Test(arguments: Kernel.exact, [ChromaSiting.left, .topLeft, .center])
    func fieldsAreThoseOfTheDefinition(_ kernel: Kernel, _ siting: ChromaSiting) throws {
        for (from, to) in [("I420_10LE", "P010_10LE"), ("NV12", "I420_10LE"), ("I420_10LE", "RGBA64_LE")] {
            var job = Job(
                "\(from) to \(to)", .pq(layout(from)), .sdr(layout(to)), (layout(from), layout(to)),
                siting: (siting, siting))
            job.format.hasFields = true
            let source = Picture(layout(from), 75, Self.height)
            source.fill(5)
            let (made, exact) = (Picture(layout(to), 75, Self.height), Picture(layout(to), 75, Self.height))
            try convertFields(source, made, job.converter(kernel, width: 75))
            try convertFields(source, exact, PictureConverter.definition(job.plan, job.format, width: 75))
            KernelLayoutTests.check(
                made, exact, KernelLayoutTests.limit(kernel.quality, layout(to).bits), "\(job.name) \(kernel)")
        }
    }

    /// Light of both fields becomes the codes that it came from: chroma that was interpolated returns.
    @Test(arguments: LinearLightTests.colors.filter { $0.format == "P010_10LE" }, [ChromaSiting.left, .topLeft])
    func lightReturns(_ one: LinearLightTests.Case, _ siting: ChromaSiting) throws {
        var options = LinearLightConverter.Options()
        (options.element, options.dither) = (.single, .none)
        let stream = one.stream(siting)
        let source = LinearLightTests.natural(stream, 300, Self.height)
        let target = Picture(stream.layout, 300, Self.height)
        let kernels = try #require(
            LinearLightConverter(source: stream, width: 300, options: options, instructionSet: one.set))
        let definition = try #require(LinearLightConverter.definition(source: stream, width: 300, options: options))
        for converter in [kernels, definition] {
            for parity in 0...1 {
                let (from, to) = (try #require(source.view.field(parity)), try #require(target.view.field(parity)))
                let light = LightMemory(300, from.height, .single)
                converter.decode(from, rows: 0..<from.height, into: light.rows, thread: 0)
                converter.encode(light.rows, into: to, rows: 0..<from.height, thread: 0)
            }
            for c in 0..<3 {
                let largest = zip(target[c], source[c]).map { abs($0 - $1) }.max() ?? 0
                #expect(largest <= 1, "component \(c)")
            }
        }
    }
}
