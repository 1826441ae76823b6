import CKernels
import HDRColor

/// Codes to light and back by the kernels of one instruction set, a chunk of pixels at a time, in memory that each
/// thread has of its own.
final class VectorLightKernel: LinearLightKernel, @unchecked Sendable {
    let plan: LinearLightPlan
    private let width: Int
    private let kernels: KernelTable
    private let store: TableStore
    private let kernelPlan: UnsafeMutablePointer<KernelLinearLightPlan>
    private let scratch: UnsafeMutableRawPointer
    private let scratchSize: Int

    /// Errors of PQ's light are relative to what is above this, in cd/m², and below as large as here: about 5e-4 cd/m²,
    /// 2.4e-6 of a reference white of 203 cd/m².
    private static let shadows = 20.0

    init(_ plan: LinearLightPlan, width: Int, threads: Int, _ kernels: KernelTable) {
        self.plan = plan
        self.width = width
        self.kernels = kernels
        store = TableStore()
        kernelPlan = .allocate(capacity: 1)
        kernelPlan.initialize(to: Self.kernelPlan(plan, kernels, store))
        // A cache line between the threads' memories.
        scratchSize = (kernels.linear_light_scratch_size(width) + 127) / 64 * 64
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
            CurveMaker(cells: kernels.register_table_size, .balanced, target: layout, store: store)
        }
        var result = KernelLinearLightPlan()
        result.reading = own(plan.source, plan.decoding)
        result.writing = own(plan.target, plan.encoding)
        // Half of what binary16 rounds off hides the errors that codes of eight bits do.
        result.reading.color = KernelPlanner(plan.decoding, maker(.planar(8, 0, 0)), shadows: shadows).color()
        result.writing.color = KernelPlanner(plan.encoding, maker(plan.target.layout)).color()
        let white = plan.options.referenceWhite
        let toLight = plan.source.color.primaries.matrix(to: plan.options.primaries)
        let fromLight = plan.options.primaries.matrix(to: plan.target.color.primaries)
        result.to_light = KernelMatrix(toLight * .diagonal(SIMD3(repeating: 1 / white)))
        result.from_light = KernelMatrix(fromLight * .diagonal(SIMD3(repeating: white)))
        result.is_half = plan.options.element == .half ? 1 : 0
        return result
    }

    func run(_ call: LinearLightCall) {
        let memory = scratch + call.thread * scratchSize
        guard let target = call.target else {
            guard let source = call.source, let light = call.light else { return }
            var frame = KernelFrame(source)
            for y in call.rows {
                let row = light.row(y).assumingMemoryBound(to: UInt8.self)
                eachChunk { x, count in
                    kernels.read_light(kernelPlan, &frame, y, x, count, memory)
                    kernels.pack_light(kernelPlan, count, row + x * plan.options.element.bytesPerPixel, memory)
                }
            }
            return
        }
        encode(call, target, memory)
    }

    private func encode(_ call: LinearLightCall, _ target: FrameView, _ memory: UnsafeMutableRawPointer) {
        var source = call.source.map { KernelFrame($0) }
        var frame = KernelFrame(target)
        let around = plan.rowsAround(call.rows, height: target.height)
        var keeping = call.source != nil && plan.keepsCodes ? KernelLightKeeps : 0
        if call.effect == nil && plan.options.element == .half { keeping |= KernelLightThroughHalf }
        for y in around {
            let isCounted = call.rows.contains(y)
            let flags = Int32(keeping | (isCounted ? KernelLightWrites : 0))
            eachChunk { x, count in
                if source != nil { kernels.read_light(kernelPlan, &source!, y, x, count, memory) }
                if let effect = call.effect {
                    kernels.copy_light(count, memory)
                    let rows = kernels.light_rows(memory)
                    effect.apply(
                        to: LightPixels(
                            red: rows.red, green: rows.green, blue: rows.blue, alpha: rows.alpha, count: count,
                            column: x, row: y, isCounted: isCounted, thread: call.thread))
                } else if let light = call.light {
                    let row = light.row(y).assumingMemoryBound(to: UInt8.self)
                    kernels.unpack_light(kernelPlan, count, row + x * plan.options.element.bytesPerPixel, memory)
                }
                kernels.write_light(kernelPlan, &frame, y, x, count, flags, memory)
            }
            kernels.finish_light_row(
                kernelPlan, &frame, y, call.rows.lowerBound, call.rows.upperBound, around.lowerBound, memory)
        }
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
