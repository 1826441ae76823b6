import CKernels
import HDRColor
import HDRVectorKernels

#if arch(x86_64)
    import HDRVectorKernelsAVX2
    import HDRVectorKernelsAVX512
#endif

/// A conversion by the kernels of one instruction set, with all that they need: made once, run by any number of threads,
/// each with memory of its own.
final class VectorConverter: @unchecked Sendable {
    private let store: TableStore
    private let plan: UnsafeMutablePointer<KernelPlan>
    /// What is done in place of the plan where words are enough.
    private let words: UnsafeMutablePointer<WordPlan>?
    private let scratch: UnsafeMutableRawPointer
    private let scratchSize: Int
    private let instructionSet: InstructionSet

    /// - Parameters:
    ///   - width: of the pictures, in pixels.
    ///   - instructionSet: one that the machine supports.
    ///   - cache: of curves, from the conversion that this one replaces.
    init(
        _ plan: ConversionPlan, _ format: FormatPlan, _ quality: Quality, width: Int, threads: Int,
        _ instructionSet: InstructionSet, _ cache: CurveCache
    ) {
        self.instructionSet = instructionSet
        cache.begin()
        let maker = CurveMaker(instructionSet, quality, target: format.target, cache: cache)
        store = maker.store
        self.plan = .allocate(capacity: 1)
        var kernelPlan = KernelPlan(plan, format, store)
        let size: Int
        if quality == .fast && instructionSet.hasWords, let wordPlan = WordPlanner.wordPlan(plan, format, store) {
            // The plan's colour is not used then, and its curves take the longest to make.
            let words = UnsafeMutablePointer<WordPlan>.allocate(capacity: 1)
            words.initialize(to: wordPlan)
            self.words = words
            size = instructionSet.wordScratchSize(width: width)
        } else {
            words = nil
            kernelPlan.color = KernelPlanner(plan, maker).color()
            kernelPlan.is_inside = plan.staysInsideCodes ? 1 : 0
            size = HDRVectorKernels.scratchSize(width: width)
        }
        self.plan.initialize(to: kernelPlan)
        // A cache line between the threads' memories, and pages that do not start at the same place in the cache.
        scratchSize = (size + 127) / 64 * 64
        scratch = .allocate(byteCount: scratchSize * threads, alignment: 64)
        scratch.initializeMemory(as: UInt8.self, repeating: 0, count: scratchSize * threads)
    }

    deinit {
        plan.deallocate()
        words?.deallocate()
        scratch.deallocate()
    }

    /// Converts rows `[first, end)` with the memory of one thread.
    func convert(_ source: FrameView, _ target: FrameView, _ first: Int, _ end: Int, thread: Int) {
        var source = KernelFrame(source)
        var target = KernelFrame(target)
        let memory = scratch + thread * scratchSize
        #if arch(x86_64)
            if let words {
                HDRVectorKernelsAVX512.convertWords(words, &source, &target, first, end, memory)
                return
            }
            switch instructionSet {
            case .baseline: HDRVectorKernels.convert(plan, &source, &target, first, end, memory)
            case .v3: HDRVectorKernelsAVX2.convert(plan, &source, &target, first, end, memory)
            case .v4: HDRVectorKernelsAVX512.convert(plan, &source, &target, first, end, memory)
            }
        #else
            HDRVectorKernels.convert(plan, &source, &target, first, end, memory)
        #endif
    }
}

extension InstructionSet {
    /// Numbers that a register holds and a lane can pick from; 0 where there is no such instruction.
    var cells: Int {
        #if arch(x86_64)
            switch self {
            case .baseline: HDRVectorKernels.registerTableSize()
            case .v3: HDRVectorKernelsAVX2.registerTableSize()
            case .v4: HDRVectorKernelsAVX512.registerTableSize()
            }
        #else
            HDRVectorKernels.registerTableSize()
        #endif
    }

    /// Whether it has kernels of 16-bit words.
    var hasWords: Bool {
        #if arch(x86_64)
            self == .v4 && HDRVectorKernelsAVX512.hasWords()
        #else
            false
        #endif
    }

    /// Bytes that these need for each thread.
    func wordScratchSize(width: Int) -> Int {
        #if arch(x86_64)
            hasWords ? HDRVectorKernelsAVX512.wordScratchSize(width: width) : 0
        #else
            0
        #endif
    }
}
