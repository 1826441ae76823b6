import CKernels

extension InstructionSet {
    /// The kernels of this set. This is the only place where an instruction set's module is chosen.
    package var kernels: KernelTable {
        switch self {
        #if HDR_V4_KERNELS
            case .v4: kernel_table_v4()
        #endif
        #if HDR_V3_KERNELS
            case .v3: kernel_table_v3()
        #endif
        default: kernel_table_baseline()
        }
    }
}
