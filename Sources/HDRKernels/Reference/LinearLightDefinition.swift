import CSIMD
import HDRColor

/// Converts codes to light and back in double precision, straight from the definition, one pixel at a time.
final class LinearLightDefinition: LinearLightKernel, @unchecked Sendable {
    let plan: LinearLightPlan
    private let width: Int
    private let memory: [Memory]
    private let decoding: Conversion<Double>
    private let encoding: Conversion<Double>
    /// The matrices from the source's primaries to those of light, and from these to the target's.
    private let toLight: Matrix3<Double>
    private let fromLight: Matrix3<Double>
    private let reader: SampleReader
    private let upsampler: ChromaUpsampler
    private let writer: SampleWriter

    init(_ plan: LinearLightPlan, width: Int, threads: Int) {
        self.plan = plan
        self.width = width
        memory = (0..<threads).map { _ in Memory(width: width) }
        decoding = Conversion(plan.decoding)
        encoding = Conversion(plan.encoding)
        toLight = plan.source.color.primaries.matrix(to: plan.options.primaries)
        fromLight = plan.options.primaries.matrix(to: plan.target.color.primaries)
        reader = SampleReader(layout: plan.source.layout)
        upsampler = ChromaUpsampler(reader: reader, siting: plan.source.siting, mode: .linear)
        writer = SampleWriter(layout: plan.target.layout, dither: plan.options.dither)
    }

    /// Rows that one thread works in.
    private final class Memory: @unchecked Sendable {
        let scratch: RowScratch
        /// Decoded light, and the light that is encoded: red, green, blue and alpha.
        let decoded: [UnsafeMutablePointer<Float>]
        let light: [UnsafeMutablePointer<Float>]
        /// R'G'B' or Y'CbCr of the source, which the scratch rows do not keep, and alpha.
        let codes: [Row]
        /// The halved Cb and Cr of the last rows, in a ring.
        let halved: [(Row, Row)]
        private let floats: UnsafeMutableRawPointer
        private let doubles: UnsafeMutablePointer<Double>

        init(width: Int) {
            scratch = RowScratch(width: width)
            let length = (width + 63) / 16 * 16
            floats = .allocate(byteCount: 8 * length * 4, alignment: 64)
            let base = floats.bindMemory(to: Float.self, capacity: 8 * length)
            base.initialize(repeating: 0, count: 8 * length)
            decoded = (0..<4).map { base + $0 * length }
            light = (4..<8).map { base + $0 * length }
            let rows = 4 + 16
            doubles = .allocate(capacity: rows * length)
            doubles.initialize(repeating: 0, count: rows * length)
            let start = doubles
            codes = (0..<4).map { start + $0 * length }
            halved = (0..<8).map { (start + (4 + 2 * $0) * length, start + (5 + 2 * $0) * length) }
        }

        deinit {
            floats.deallocate()
            doubles.deallocate()
        }
    }

    func run(_ call: LinearLightCall) {
        let m = memory[call.thread]
        guard let target = call.target else {
            guard let source = call.source else { return }
            for y in call.rows {
                decode(source, y, m)
                if let planes = call.planes {
                    change(call, y, m)
                    planes.exchange(
                        (m.light[0], m.light[1], m.light[2], m.light[3]), row: y, column: 0, count: width, writes: true)
                } else if let light = call.light {
                    write(m.decoded, light.row(y))
                }
            }
            return
        }
        let height = target.height
        let around = plan.rowsAround(call.rows, height: height)
        for y in around {
            if let source = call.source { decode(source, y, m) }
            if let planes = call.planes {
                planes.exchange(
                    (m.light[0], m.light[1], m.light[2], m.light[3]), row: y, column: 0, count: width, writes: false)
                if let effect = call.effect { apply(effect, y, call, m) }
            } else if call.effect != nil {
                change(call, y, m)
            } else if let light = call.light {
                read(light.row(y), m.light)
            }
            let isHalf = call.light != nil && plan.options.element == .half
            let keeps = call.source != nil && plan.keepsCodes && call.effect?.keepsPixels ?? true
            encode(keeps: keeps, isHalf: isHalf, m)
            write(target, y, call.rows, around, m)
        }
    }

    // MARK: Light

    /// Computes the codes of a row, and its light.
    private func decode(_ frame: FrameView, _ y: Int, _ m: Memory) {
        let row = m.scratch.row
        reader.read(0, frame, y, count: width, into: row.a)
        for component in 1...2 {
            if reader.layout.horizontalShift == 0 {
                reader.read(component, frame, y, count: width, into: row[component])
            } else {
                upsampler.upsample(component, frame, y, width: width, into: row[component], spare: m.scratch.spare)
            }
        }
        let hasAlpha = reader.layout.hasAlpha
        if hasAlpha { reader.readAlpha(frame, y, count: width, into: m.scratch.alpha) }
        let top = Double((1 << reader.layout.alphaBits) - 1)
        let q = plan.source.color.quantization
        let toRGB = q.matrix?.toRGB ?? .identity
        var guide = plan.guidesChroma ? ChromaGuide(reader, plan.source.siting, frame, width: width) : nil
        for i in 0..<width {
            var codes = SIMD3(row.a[i], row.b[i], row.c[i])
            for c in 0..<3 { m.codes[c][i] = codes[c] }
            if guide != nil { for c in 1...2 { codes[c] = guide!.value(c, y, i) } }
            let alpha = hasAlpha ? min(Double(m.scratch.alpha[i]) / top, 1) : 1
            m.codes[3][i] = alpha
            let light = decoding.decode(toRGB * ((codes - q.offset) / q.scale))
            let result = toLight * light * (alpha / plan.options.referenceWhite)
            for c in 0..<3 { m.decoded[c][i] = Float(result[c]) }
            m.decoded[3][i] = Float(alpha)
        }
    }

    /// Applies the effect to decoded light.
    private func change(_ call: LinearLightCall, _ y: Int, _ m: Memory) {
        for c in 0..<4 { m.light[c].update(from: m.decoded[c], count: width) }
        if let effect = call.effect { apply(effect, y, call, m) }
    }

    private func apply(_ effect: any LightEffect, _ y: Int, _ call: LinearLightCall, _ m: Memory) {
        var x = 0
        while x < width {
            let count = min(width - x, 768)
            effect.apply(
                to: LightPixels(
                    red: m.light[0] + x, green: m.light[1] + x, blue: m.light[2] + x, alpha: m.light[3] + x,
                    count: count, column: x, row: call.field.row(y), isCounted: call.rows.contains(y),
                    thread: call.thread))
            x += count
        }
    }

    /// Encodes light to codes, not yet rounded, in the scratch rows; alpha is in [0, 1].
    private func encode(keeps: Bool, isHalf: Bool, _ m: Memory) {
        let row = m.scratch.row
        let q = plan.target.color.quantization
        let fromRGB = q.matrix?.fromRGB ?? .identity
        let least = 0.5 / Double((1 << plan.target.layout.alphaBits) - 1)
        for i in 0..<width {
            let pixel = SIMD4(m.light[0][i], m.light[1][i], m.light[2][i], m.light[3][i])
            var own = SIMD4(m.decoded[0][i], m.decoded[1][i], m.decoded[2][i], m.decoded[3][i])
            if keeps {
                if isHalf { own = own.throughHalf }
                if pixel == own {
                    (row.a[i], row.b[i], row.c[i]) = (m.codes[0][i], m.codes[1][i], m.codes[2][i])
                    continue
                }
            }
            let alpha = clamp(Double(pixel.w), 0, 1)
            m.codes[3][i] = alpha
            var light = SIMD3(Double(pixel.x), Double(pixel.y), Double(pixel.z)).map { $0.isNaN ? 0 : $0 }
            light = light.limited(-1e6, 1e6) * plan.options.referenceWhite
            // Where alpha is written as 0, light has no colour.
            if plan.target.layout.hasAlpha { light = alpha > least ? light / alpha : SIMD3(0, 0, 0) }
            let inside = (fromLight * light).limited(0, encoding.plan.targetPeak)
            let codes = (fromRGB * encoding.encode(inside)) * q.scale + q.offset
            (row.a[i], row.b[i], row.c[i]) = (codes.x, codes.y, codes.z)
        }
    }

    private func write(_ rows: [UnsafeMutablePointer<Float>], _ base: UnsafeMutableRawPointer) {
        for i in 0..<width {
            for c in 0..<4 {
                if plan.options.element == .single {
                    base.storeBytes(of: rows[c][i], toByteOffset: 16 * i + 4 * c, as: Float.self)
                } else {
                    base.storeBytes(of: cv_signed_half_f32(rows[c][i]), toByteOffset: 8 * i + 2 * c, as: UInt16.self)
                }
            }
        }
    }

    private func read(_ base: UnsafeMutableRawPointer, _ rows: [UnsafeMutablePointer<Float>]) {
        for i in 0..<width {
            for c in 0..<4 {
                if plan.options.element == .single {
                    rows[c][i] = base.loadUnaligned(fromByteOffset: 16 * i + 4 * c, as: Float.self)
                } else {
                    rows[c][i] = cv_from_half_f32(base.loadUnaligned(fromByteOffset: 8 * i + 2 * c, as: UInt16.self))
                }
            }
        }
    }

    // MARK: Codes

    /// Writes the computed row, if it was requested, and all chroma that it completes.
    private func write(_ frame: FrameView, _ y: Int, _ rows: Range<Int>, _ around: Range<Int>, _ m: Memory) {
        let row = m.scratch.row
        let layout = plan.target.layout
        let halves = layout.verticalShift > 0
        let chroma = (width + 1) / 2
        if layout.horizontalShift > 0 {
            let filter = ChromaReturn(isCosited: plan.target.siting.horizontallyCosited)
            let place = m.halved[y & 7]
            for k in 0..<chroma {
                place.0[k] = filter.value(k, count: width) { row.b[$0] }
                place.1[k] = filter.value(k, count: width) { row.c[$0] }
            }
            if halves {
                // A pair's chroma is complete with the first row of the next one.
                if y & 1 == 0 && y >= 2 { writeChroma(frame, y / 2 - 1, rows, around, m) }
                if y == frame.height - 1 { writeChroma(frame, y / 2, rows, around, m) }
            }
        }
        guard rows.contains(y) else { return }
        writer.prepareRow(frame, y, width: width)
        if layout.horizontalShift == 0 {
            for c in 1...2 { writer.write(c, frame, y, count: width, from: row[c]) }
        } else if !halves {
            for (c, from) in [(1, m.halved[y & 7].0), (2, m.halved[y & 7].1)] {
                m.scratch.upper.0.update(from: from, count: chroma)
                writer.write(c, frame, y, count: chroma, from: m.scratch.upper.0)
            }
        }
        writer.write(0, frame, y, count: width, from: row.a)
        guard layout.alpha != nil || layout.hasAlpha else { return }
        let top = Double((1 << layout.alphaBits) - 1)
        for i in 0..<width { m.scratch.alpha[i] = UInt16(m.codes[3][i] * top + 0.5) }
        writer.writeAlpha(
            frame, y, count: width, from: layout.hasAlpha ? m.scratch.alpha : nil, bits: layout.alphaBits)
    }

    private func writeChroma(_ frame: FrameView, _ k: Int, _ rows: Range<Int>, _ around: Range<Int>, _ m: Memory) {
        guard rows.contains(2 * k), k < frame.chromaRows else { return }
        let filter = ChromaReturn(
            isCosited: plan.target.siting.verticallyCosited, place: Double(frame.chromaPlace))
        let out = m.scratch.upper.0
        for component in 1...2 {
            for i in 0..<(width + 1) / 2 {
                out[i] = filter.value(k, count: frame.height) {
                    let place = m.halved[max($0, around.lowerBound) & 7]
                    return component == 1 ? place.0[i] : place.1[i]
                }
            }
            writer.write(component, frame, k, count: (width + 1) / 2, from: out)
        }
    }
}

extension SIMD4<Float> {
    /// The numbers after rounding to binary16.
    fileprivate var throughHalf: SIMD4<Float> {
        func rounded(_ x: Float) -> Float { cv_from_half_f32(cv_signed_half_f32(x)) }
        return SIMD4(rounded(x), rounded(y), rounded(z), rounded(w))
    }
}
