import CKernels
import HDRVectorKernels

#if HDR_V3_KERNELS
    import HDRVectorKernelsAVX2
#endif
#if HDR_V4_KERNELS
    import HDRVectorKernelsAVX512
#endif

extension InstructionSet {
    /// The kernels of this set. This is the only place where an instruction set's module is chosen.
    package var kernels: KernelTable {
        switch self {
        #if HDR_V4_KERNELS
            case .v4:
                var table = HDRVectorKernelsAVX512.kernelTable()
                // Debug builds use the same kernels for every instruction set.
                #if !DEBUG
                    HDRVectorKernelsAVX512.addFixedPoint(to: &table)
                #endif
                return table
        #endif
        #if HDR_V3_KERNELS
            case .v3: return HDRVectorKernelsAVX2.kernelTable()
        #endif
        default: return HDRVectorKernels.kernelTable()
        }
    }
}
