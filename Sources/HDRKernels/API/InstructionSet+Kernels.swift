import CKernels
import HDRVectorKernels

#if arch(x86_64) && !HDR_BASELINE_KERNELS
    import HDRVectorKernelsAVX2
    import HDRVectorKernelsAVX512
#endif

extension InstructionSet {
    /// Its kernels. This is the only place where an instruction set's module is chosen.
    package var kernels: KernelTable {
        #if arch(x86_64) && !HDR_BASELINE_KERNELS
            switch self {
            case .baseline: return HDRVectorKernels.kernelTable()
            case .v3: return HDRVectorKernelsAVX2.kernelTable()
            case .v4:
                var table = HDRVectorKernelsAVX512.kernelTable()
                // Debug builds compute with the same kernels on each instruction set.
                #if !DEBUG
                    HDRVectorKernelsAVX512.addFixedPoint(to: &table)
                #endif
                return table
            }
        #else
            return HDRVectorKernels.kernelTable()
        #endif
    }
}
