import CSIMD

/// The kernels of the instruction set that this module is compiled for, without those of fixed point.
package func kernelTable() -> KernelTable {
    KernelTable(
        register_table_size: registerTableSize,
        scratch_size: { Scratch.size(width: $0) },
        convert_slice: { convertSlice($0, $1, $2, $3, $4, $5) },
        measure_cells: { measureCells($0, $1, $2, $3, $4) },
        smooth_cells: { smoothCells($0, $1, $2, $3, $4) },
        measure_light: { measureLight($0, $1, $2, $3, $4, $5) },
        repack_words: { repackWords($0, $1, $2, $3, writes: $4 != 0) },
        unpack_pixels: { unpackPixels($0, $1, $2, $3, $4, $5) },
        pack_pixels: { packPixels($0, $1, $2, $3, $4, $5) },
        fixed_point_scratch_size: nil,
        convert_fixed_point: nil)
}

/// Numbers of a table that a register holds and that each lane can pick from; 0 where there is no such instruction.
@inline(__always)
private var registerTableSize: Int {
    #if HDR_REGISTER_TABLES
        lanes
    #else
        0
    #endif
}
