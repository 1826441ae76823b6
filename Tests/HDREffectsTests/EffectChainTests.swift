import HDRColor
import HDREffects
import HDRKernels
import Testing

/// Chains of effects on the way from a frame's codes to another's: the matrices around them are merged with those of
/// the conversion, and pixels may come in pairs of columns, which must not show.
@Suite struct EffectChainTests {
    static let width = 402, height = 38

    /// Calls an effect, and says nothing about it, so that light is neither merged nor reordered for it.
    private final class Plain: LightEffect {
        let keepsPixels = false
        private let effect: any LightEffect
        init(_ effect: any LightEffect) { self.effect = effect }
        func apply(to pixels: LightPixels) { effect.apply(to: pixels) }
    }

    /// Memory for a frame of I420 in 10 bits.
    private final class Frame {
        let view: FrameView
        private let memory: UnsafeMutablePointer<UInt16>

        init(_ fill: (_ component: Int, _ x: Int, _ y: Int) -> Int) {
            let (w, h) = (EffectChainTests.width, EffectChainTests.height)
            memory = .allocate(capacity: w * h * 3 / 2)
            for y in 0..<h { for x in 0..<w { memory[y * w + x] = UInt16(fill(0, x, y)) } }
            for c in 1...2 {
                let start = w * h + (c - 1) * w * h / 4
                for y in 0..<h / 2 {
                    for x in 0..<w / 2 { memory[start + y * w / 2 + x] = UInt16(fill(c, 2 * x, 2 * y)) }
                }
            }
            let base = UnsafeMutableRawPointer(memory)
            view = FrameView(
                width: w, height: h,
                planes: [
                    .init(data: base, stride: 2 * w), .init(data: base + 2 * w * h, stride: w),
                    .init(data: base + 2 * w * h * 5 / 4, stride: w),
                ])!
        }

        deinit { memory.deallocate() }

        var codes: UnsafeBufferPointer<UInt16> {
            UnsafeBufferPointer(start: memory, count: EffectChainTests.width * EffectChainTests.height * 3 / 2)
        }
    }

    static let chains: [[any VideoEffect]] = [
        [Vignette(stops: 2)], [Sepia(), Vignette(stops: 2)], [Vignette(stops: 2), Exposure(stops: -1)],
        [Exposure(stops: 0.5), Vignette(stops: 1, radius: 0.3), Vignette(stops: 0.5), Saturation(saturation: 0.6)],
        [Sepia(), Invert()], [Sepia(), Vignette(stops: 1), Invert()], [Exposure(stops: 1), Highlight()],
    ]

    @Test(arguments: chains.indices, InstructionSet.supported)
    func mergingDoesNotShow(_ index: Int, _ set: InstructionSet) throws {
        for transfer in [Transfer.pq, .hlg, .bt1886] { try compare(index, set, transfer) }
    }

    private func compare(_ index: Int, _ set: InstructionSet, _ transfer: Transfer) throws {
        let layout = try #require(PixelLayout.byName["I420_10LE"])
        let color = ColorSignal(
            transfer: transfer, primaries: .bt2020,
            quantization: Quantization(bits: 10, fullRange: false, matrix: .bt2020))
        var options = LinearLightConverter.Options()
        (options.element, options.dither) = (.single, .none)
        let stream = StreamSignal(layout: layout, color: color, siting: .left)
        let converter = try #require(
            LinearLightConverter(source: stream, width: Self.width, options: options, instructionSet: set))
        let context = EffectContext(
            signal: color, primaries: options.primaries, width: Self.width, height: Self.height, headroom: 1000.0 / 203,
            instructionSet: set)
        let planned = Self.chains[index].map { $0.planned(for: context) }
        let chain = try #require(EffectSteps(planned, set).onlyPixels)
        let source = Frame { c, x, y in
            let level = (x * 3 + y * 7) % 400
            return c == 0 ? 200 + level : 512 + (c == 1 ? x / 6 - 30 : y - 20)
        }
        let (merged, apart) = (Frame { _, _, _ in 0 }, Frame { _, _, _ in 0 })
        converter.process(source.view, into: merged.view, rows: 0..<Self.height, thread: 0, chain)
        converter.process(source.view, into: apart.view, rows: 0..<Self.height, thread: 0, Plain(chain))
        let differences = zip(merged.codes, apart.codes).map { abs(Int($0) - Int($1)) }
        let changed = differences.filter { $0 > 0 }.count
        #expect(
            differences.max()! <= 1 && changed * 100 <= differences.count,
            "\(transfer): \(differences.max()!), \(changed) of \(differences.count)")
        #expect(!merged.codes.elementsEqual(source.codes))
    }
}
