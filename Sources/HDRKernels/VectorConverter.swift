import CVector
import HDRColor
import HDRKernelsBaseline

#if arch(x86_64)
    import HDRKernelsV3
    import HDRKernelsV4
#endif

/// A conversion by the kernels of one instruction set, with all that they need: made once, run by any number of threads,
/// each with memory of its own.
final class VectorConverter: @unchecked Sendable {
    private let store: TableStore
    private let plan: UnsafeMutablePointer<KernelPlan>
    private let scratch: UnsafeMutableRawPointer
    private let scratchSize: Int
    private let instructionSet: InstructionSet

    /// - Parameters:
    ///   - width: of the pictures, in pixels.
    ///   - instructionSet: one that the machine supports.
    init(
        _ plan: ConversionPlan, _ format: FormatPlan, _ quality: Quality, width: Int, threads: Int,
        _ instructionSet: InstructionSet
    ) {
        self.instructionSet = instructionSet
        let maker = CurveMaker(instructionSet, quality, target: format.target)
        store = maker.store
        self.plan = .allocate(capacity: 1)
        var kernelPlan = KernelPlan(plan, format, store)
        kernelPlan.color = KernelPlanner(plan, maker).color()
        kernelPlan.is_inside = plan.staysInsideCodes ? 1 : 0
        self.plan.initialize(to: kernelPlan)
        // A cache line between the threads' memories, and pages that do not start at the same place in the cache.
        scratchSize = (HDRKernelsBaseline.scratchSize(width: width) + 127) / 64 * 64
        scratch = .allocate(byteCount: scratchSize * threads, alignment: 64)
        scratch.initializeMemory(as: UInt8.self, repeating: 0, count: scratchSize * threads)
    }

    deinit {
        plan.deallocate()
        scratch.deallocate()
    }

    /// Converts rows `[first, end)` with the memory of one thread.
    func convert(_ source: FrameView, _ target: FrameView, _ first: Int, _ end: Int, thread: Int) {
        var source = KernelFrame(source)
        var target = KernelFrame(target)
        let memory = scratch + thread * scratchSize
        #if arch(x86_64)
            switch instructionSet {
            case .baseline: HDRKernelsBaseline.convert(plan, &source, &target, first, end, memory)
            case .v3: HDRKernelsV3.convert(plan, &source, &target, first, end, memory)
            case .v4: HDRKernelsV4.convert(plan, &source, &target, first, end, memory)
            }
        #else
            HDRKernelsBaseline.convert(plan, &source, &target, first, end, memory)
        #endif
    }
}

extension InstructionSet {
    /// Numbers that a register holds and a lane can pick from; 0 where there is no such instruction.
    var cells: Int {
        #if arch(x86_64)
            switch self {
            case .baseline: HDRKernelsBaseline.registerTableSize()
            case .v3: HDRKernelsV3.registerTableSize()
            case .v4: HDRKernelsV4.registerTableSize()
            }
        #else
            HDRKernelsBaseline.registerTableSize()
        #endif
    }
}
