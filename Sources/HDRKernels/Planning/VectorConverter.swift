import CKernels
import HDRColor

/// A conversion by the kernels of one instruction set, with their plan, tables and memory. It is made once and run by
/// any number of threads, each with scratch memory of its own.
final class VectorConverter: @unchecked Sendable {
    private let store: TableStore
    private let plan: UnsafeMutablePointer<KernelPlan>
    /// Replaces the plan where 16-bit fixed point is accurate enough.
    private let fixedPointPlan: UnsafeMutablePointer<FixedPointPlan>?
    private let scratch: UnsafeMutableRawPointer
    private let scratchSize: Int
    private let kernels: KernelTable

    /// - Parameters:
    ///   - width: the width of the pictures, in pixels.
    ///   - instructionSet: a set that the machine supports.
    ///   - cache: the curves of the conversion that this one replaces.
    ///   - map: the memory for contrast recovery, where the plan asks for it; the caller keeps it alive.
    init(
        _ plan: ConversionPlan, _ format: FormatPlan, _ quality: Quality, width: Int, threads: Int,
        _ instructionSet: InstructionSet, _ cache: CurveCache, map: RecoveryMap? = nil
    ) {
        kernels = instructionSet.kernels
        cache.begin()
        let maker = CurveMaker(cells: kernels.register_table_size, quality, target: format.target, cache: cache)
        store = maker.store
        self.plan = .allocate(capacity: 1)
        var kernelPlan = KernelPlan(plan, format, store)
        let size: Int
        if quality == .fast, !format.hasFields, let scratchSize = kernels.fixed_point_scratch_size,
            let fixed = FixedPointPlanner.fixedPointPlan(plan, format, store)
        {
            // The floating-point plan's colour conversion is not used then, and its curves would take the longest to
            // make.
            let pointer = UnsafeMutablePointer<FixedPointPlan>.allocate(capacity: 1)
            pointer.initialize(to: fixed)
            fixedPointPlan = pointer
            size = scratchSize(width)
        } else {
            fixedPointPlan = nil
            kernelPlan.color = KernelPlanner(plan, maker, reshapes: format.reshapes).color()
            kernelPlan.is_inside = plan.staysInsideCodes ? 1 : 0
            size = kernels.scratch_size(width)
        }
        if let map {
            kernelPlan.cells = map.signals.bindMemory(to: Float.self, capacity: map.count)
            kernelPlan.cell_gains = map.gains.bindMemory(to: Float.self, capacity: map.count)
            kernelPlan.cell_stride = map.stride
        }
        self.plan.initialize(to: kernelPlan)
        // A cache line separates the threads' memories, and keeps their pages from starting at the same place in the
        // cache.
        scratchSize = (size + 127) / 64 * 64
        scratch = .allocate(byteCount: scratchSize * threads, alignment: 64)
        scratch.initializeMemory(as: UInt8.self, repeating: 0, count: scratchSize * threads)
    }

    deinit {
        plan.deallocate()
        fixedPointPlan?.deallocate()
        scratch.deallocate()
    }

    /// Runs one step of contrast recovery before the conversion, for rows of the map.
    func prepare(_ source: FrameView, _ step: RecoveryStep, _ rows: Range<Int>, thread: Int) {
        var source = KernelFrame(source)
        let memory = scratch + thread * scratchSize
        switch step {
        case .measure: kernels.measure_cells(plan, &source, rows.lowerBound, rows.upperBound, memory)
        case .smooth: kernels.smooth_cells(plan, &source, rows.lowerBound, rows.upperBound, memory)
        }
    }

    /// Converts rows `[first, end)` with the memory of one thread.
    func convert(_ source: FrameView, _ target: FrameView, _ first: Int, _ end: Int, thread: Int) {
        var source = KernelFrame(source)
        var target = KernelFrame(target)
        let memory = scratch + thread * scratchSize
        if let fixedPointPlan, let convert = kernels.convert_fixed_point {
            convert(fixedPointPlan, &source, &target, first, end, memory)
        } else {
            kernels.convert_slice(plan, &source, &target, first, end, memory)
        }
    }
}
