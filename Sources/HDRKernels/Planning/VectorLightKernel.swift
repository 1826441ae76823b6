import CKernels
import HDRColor

/// Converts codes to light and back by the kernels of one instruction set, a chunk of pixels at a time. Each thread has
/// memory of its own.
final class VectorLightKernel: LinearLightKernel, @unchecked Sendable {
    let plan: LinearLightPlan
    var decodesParts: Bool { !plan.guidesChroma }
    private let width: Int
    private let kernels: KernelTable
    private let store: TableStore
    private let kernelPlan: UnsafeMutablePointer<KernelLinearLightPlan>
    private let scratch: UnsafeMutableRawPointer
    private let scratchSize: Int
    /// The matrices from light in the source's primaries, in cd/m², to numbers of light, and from those to light in the
    /// target's primaries.
    private let toLight: Matrix3<Double>
    private let fromLight: Matrix3<Double>

    /// Errors of PQ's light are relative to light above this share of the reference white. Below it they are as large
    /// as there: 3e-8, half of the smallest step of binary16.
    private static let shadows = 1.0 / 800

    init(_ plan: LinearLightPlan, width: Int, threads: Int, _ kernels: KernelTable) {
        self.plan = plan
        self.width = width
        self.kernels = kernels
        store = TableStore()
        let white = plan.options.referenceWhite
        toLight =
            plan.source.color.primaries.matrix(to: plan.options.primaries) * .diagonal(SIMD3(repeating: 1 / white))
        fromLight = plan.options.primaries.matrix(to: plan.target.color.primaries) * .diagonal(SIMD3(repeating: white))
        kernelPlan = .allocate(capacity: 1)
        kernelPlan.initialize(to: Self.kernelPlan(plan, kernels, store))
        kernelPlan.pointee.to_light = KernelMatrix(toLight)
        kernelPlan.pointee.from_light = KernelMatrix(fromLight)
        // A cache line separates the threads' memories.
        scratchSize = (kernels.linear_light_scratch_size(width, plan.guidesChroma ? 1 : 0) + 127) / 64 * 64
        scratch = .allocate(byteCount: scratchSize * threads, alignment: 64)
        scratch.initializeMemory(as: UInt8.self, repeating: 0, count: scratchSize * threads)
    }

    deinit {
        kernelPlan.deallocate()
        scratch.deallocate()
    }

    private static func kernelPlan(
        _ plan: LinearLightPlan, _ kernels: KernelTable, _ store: TableStore
    ) -> KernelLinearLightPlan {
        func own(_ signal: StreamSignal, _ conversion: ConversionPlan) -> KernelPlan {
            let format = FormatPlan(
                source: signal.layout, target: signal.layout, sourceSiting: signal.siting,
                targetSiting: signal.siting, chromaMode: .linear, dither: plan.options.dither)
            return KernelPlan(conversion, format, store)
        }
        func maker(_ layout: PixelLayout) -> CurveMaker {
            let quality = plan.options.isExact || layout.bits > 12 ? Quality.reference : .balanced
            return CurveMaker(cells: kernels.register_table_size, quality, target: layout, store: store)
        }
        var result = KernelLinearLightPlan()
        result.reading = own(plan.source, plan.decoding)
        result.writing = own(plan.target, plan.encoding)
        // Half of the rounding error of binary16 exceeds the errors that codes of eight bits hide.
        let isExact = plan.options.isExact || plan.options.element == .single && plan.source.layout.bits > 12
        let decoder = KernelPlanner(
            plan.decoding, maker(.planar(isExact ? 16 : 8, 0, 0)),
            shadows: shadows * plan.options.referenceWhite)
        result.reading.color = decoder.color()
        result.writing.color = KernelPlanner(plan.encoding, maker(plan.target.layout)).color()
        result.is_half = plan.options.element == .half ? 1 : 0
        result.guide_variance = plan.guidesChroma ? Float(ChromaGuide.variance(bits: plan.source.layout.bits)) : 0
        result.guide_range = Float(ChromaGuide.range(bits: plan.source.layout.bits))
        return result
    }

    func run(_ call: LinearLightCall) {
        let memory = scratch + call.thread * scratchSize
        guard let target = call.target else {
            guard let source = call.source else { return }
            var frame = KernelFrame(source)
            if let planes = call.planes { return decode(&frame, call, planes, memory) }
            guard let light = call.light else { return }
            for y in call.rows {
                guide(&frame, y, call.rows, memory)
                let row = light.row(y).assumingMemoryBound(to: UInt8.self)
                eachChunk { x, count in
                    kernels.read_light(kernelPlan, &frame, y, x, count, Int32(KernelLightKept), memory)
                    kernels.pack_light(kernelPlan, count, row + x * plan.options.element.bytesPerPixel, memory)
                }
            }
            return
        }
        encode(call, target, memory)
    }

    private func decode(
        _ frame: inout KernelFrame, _ call: LinearLightCall, _ planes: LightPlanes, _ memory: UnsafeMutableRawPointer
    ) {
        let rows = kernels.light_rows(memory)
        for y in call.rows {
            guide(&frame, y, call.rows, memory)
            eachChunk { x, count in
                kernels.read_light(kernelPlan, &frame, y, x, count, Int32(KernelLightWritten), memory)
                if let effect = call.effect { apply(effect, rows, call, y, x, LightForm(columns: count)) }
                planes.exchange(
                    (rows.red, rows.green, rows.blue, rows.alpha), row: y, column: x, count: count, writes: true)
            }
        }
    }

    /// Makes what guides chroma in row `y` of `rows` ready.
    private func guide(_ frame: inout KernelFrame, _ y: Int, _ rows: Range<Int>, _ memory: UnsafeMutableRawPointer) {
        guard plan.guidesChroma else { return }
        kernels.guide_row(kernelPlan, &frame, y, y == rows.lowerBound ? 1 : 0, memory)
    }

    func decode(_ frame: FrameView, at place: LightPixels) -> LightPixels? {
        let memory = scratch + place.thread * scratchSize
        var source = KernelFrame(frame)
        kernels.read_light(
            kernelPlan, &source, place.row, place.column, place.form.columns, place.form.purpose, memory)
        let rows = kernels.light_rows(memory)
        var pixels = LightPixels(
            red: rows.red, green: rows.green, blue: rows.blue, alpha: rows.alpha, count: place.count,
            column: place.column, row: place.row, isCounted: place.isCounted, thread: place.thread)
        pixels.form = place.form
        return pixels
    }

    private func apply(
        _ effect: any LightEffect, _ rows: KernelLightRows, _ call: LinearLightCall, _ y: Int, _ x: Int,
        _ form: LightForm
    ) {
        var pixels = LightPixels(
            red: rows.red, green: rows.green, blue: rows.blue, alpha: rows.alpha, count: form.count, column: x,
            row: call.field.row(y), isCounted: call.rows.contains(y), thread: call.thread)
        pixels.form = form
        effect.apply(to: pixels)
    }

    private func encode(_ call: LinearLightCall, _ target: FrameView, _ memory: UnsafeMutableRawPointer) {
        var source = call.source.map { KernelFrame($0) }
        var frame = KernelFrame(target)
        let around = plan.rowsAround(call.rows, height: target.height)
        let keeps = call.source != nil && plan.keepsCodes && call.effect?.keepsPixels ?? true
        var kernelPlan = self.kernelPlan.pointee
        // A matrix that is merged with those that are applied anyway takes no time. Alpha is not needed, and not read.
        let folds = fold(call.effect?.affine, call, into: &kernelPlan)
        let parts = folds ? nil : splitOff(call, into: &kernelPlan)
        let middle = folds ? nil : parts?.middle ?? call.effect
        // The effect is unwrapped here, since the compiler would otherwise count a reference for each chunk in the
        // loop, which costs threads that share the effect a twentieth of their time.
        let (hasEffect, effect) = (middle != nil, middle ?? NoEffect.shared)
        let isOfSource = !keeps && !folds && takesSignal(middle, call)
        if isOfSource {
            let matrix = parts.map { $0.after * $0.before } ?? .identity
            kernelPlan.from_light = KernelMatrix(fromLight * matrix * toLight)
        }
        let isPaired =
            call.source != nil && call.planes == nil && call.light == nil && plan.source.layout.hasPairs
            && plan.target.layout.hasPairs && !plan.guidesChroma && middle?.takesPairs ?? true
        let pairs = isPaired ? KernelLightInPairs : 0
        let purpose = (keeps ? KernelLightKept : folds || isOfSource ? KernelLightOfSource : KernelLightWritten) | pairs
        var keeping = (keeps ? KernelLightKeeps : 0) | pairs
        if isOfSource && parts == nil && plan.source.color == plan.target.color { keeping |= KernelLightIsOfTarget }
        if call.light != nil && plan.options.element == .half { keeping |= KernelLightThroughHalf }
        let rows = kernels.light_rows(memory)
        for y in around {
            if source != nil { guide(&source!, y, around, memory) }
            let flags = Int32(keeping | (call.rows.contains(y) ? KernelLightWrites : 0))
            eachChunk { x, count in
                if source != nil { kernels.read_light(&kernelPlan, &source!, y, x, count, Int32(purpose), memory) }
                if let planes = call.planes {
                    planes.exchange(
                        (rows.red, rows.green, rows.blue, rows.alpha), row: y, column: x, count: count, writes: false)
                    if hasEffect { apply(effect, rows, call, y, x, LightForm(columns: count)) }
                } else if hasEffect {
                    let form = LightForm(columns: count, isPaired: isPaired, isOfSource: isOfSource)
                    if keeps { kernels.copy_light(form.count, memory) }
                    apply(effect, rows, call, y, x, form)
                } else if let light = call.light {
                    let row = light.row(y).assumingMemoryBound(to: UInt8.self)
                    kernels.unpack_light(&kernelPlan, count, row + x * plan.options.element.bytesPerPixel, memory)
                }
                kernels.write_light(&kernelPlan, &frame, y, x, count, flags, memory)
            }
            kernels.finish_light_row(
                &kernelPlan, &frame, y, call.rows.lowerBound, call.rows.upperBound, around.lowerBound, Int32(keeping),
                memory)
        }
    }

    private final class NoEffect: LightEffect, Sendable {
        static let shared = NoEffect()
        func apply(to pixels: LightPixels) {}
    }

    private func takesSignal(_ effect: (any LightEffect)?, _ call: LinearLightCall) -> Bool {
        guard let effect, effect.takesSignalLight else { return false }
        return call.source != nil && call.planes == nil && !plan.source.layout.hasAlpha && !plan.target.layout.hasAlpha
    }

    /// Merges the effect's matrix with those before and after it, where all pixels are changed and none has alpha.
    private func fold(
        _ affine: (matrix: Matrix3<Double>, offset: SIMD3<Double>)?, _ call: LinearLightCall,
        into kernelPlan: inout KernelLinearLightPlan
    ) -> Bool {
        guard let affine, let effect = call.effect, !effect.keepsPixels, call.planes == nil, call.source != nil,
            !plan.source.layout.hasAlpha, !plan.target.layout.hasAlpha
        else { return false }
        let matrix = fromLight * affine.matrix * toLight
        kernelPlan.from_light = KernelMatrix(matrix, offset: fromLight * affine.offset)
        return true
    }

    /// Merges matrices at the beginning and the end of an effect with those before and after it.
    /// - Returns: the parts of the effect.
    private func splitOff(
        _ call: LinearLightCall, into kernelPlan: inout KernelLinearLightPlan
    ) -> (before: Matrix3<Double>, middle: any LightEffect, after: Matrix3<Double>)? {
        guard let effect = call.effect, !effect.keepsPixels, let parts = effect.parts, call.planes == nil else {
            return nil
        }
        kernelPlan.to_light = KernelMatrix(parts.before * toLight)
        kernelPlan.from_light = KernelMatrix(fromLight * parts.after)
        return parts
    }

    @inline(__always)
    private func eachChunk(_ body: (_ x: Int, _ count: Int) -> Void) {
        var x = 0
        while x < width {
            let count = min(width - x, kernels.linear_light_chunk)
            body(x, count)
            x += count
        }
    }
}
