import CSIMD

#if HDR_X86_64_V4
    @c @implementation
    public func kernel_table_v4() -> KernelTable {
        var table = kernelTable()
        // Debug builds use the same kernels for every instruction set.
        #if !DEBUG
            addFixedPoint(to: &table)
        #endif
        return table
    }
#elseif HDR_X86_64_V3
    @c @implementation
    public func kernel_table_v3() -> KernelTable { kernelTable() }
#else
    @c @implementation
    public func kernel_table_baseline() -> KernelTable { kernelTable() }
#endif

/// The kernels of the instruction set that this module is compiled for, without those in fixed point.
private func kernelTable() -> KernelTable {
    KernelTable(
        register_table_size: registerTableSize,
        scratch_size: { Scratch.size(width: $0) },
        convert_slice: { convertSlice($0, $1, $2, $3, $4, $5) },
        measure_cells: { measureCells($0, $1, $2, $3, $4) },
        smooth_cells: { smoothCells($0, $1, $2, $3, $4) },
        measure_light: { measureLight($0, $1, $2, $3, $4, $5) },
        measure_light_rows: { measureLightRows($0, $1, $2, $3, $4) },
        repack_words: { repackWords($0, $1, $2, $3, writes: $4 != 0) },
        mix_words: { mixWords($0, $1, $2, $3, $4, share: $5) },
        unpack_pixels: { unpackPixels($0, $1, $2, $3, $4, $5) },
        pack_pixels: { packPixels($0, $1, $2, $3, $4, $5) },
        linear_light_scratch_size: {
            LightScratch.size(width: $0) &+ ($1 != 0 ? ChromaGuideScratch.size(width: $0) : 0)
        },
        linear_light_chunk: lightChunk,
        light_rows: { LightScratch($0).lightRows },
        guide_row: { guideRow($0, $1, $2, isFirst: $3 != 0, $4) },
        read_light: { readLight($0, $1, $2, $3, $4, Int($5), $6) },
        pack_light: { packLight($0, $1, $2, $3) },
        copy_light: { copyLight($0, $1) },
        unpack_light: { unpackLight($0, $1, $2, $3) },
        write_light: { writeLight($0, $1, $2, $3, $4, $5, $6) },
        finish_light_row: { finishLightRow($0, $1, $2, $3, $4, $5, Int($6), $7) },
        effects: effects,
        fixed_point_scratch_size: nil,
        convert_fixed_point: nil)
}

@inline(__always)
private var effects: KernelEffects {
    KernelEffects(
        color_matrix: { applyColorMatrix($0, $1, $2) },
        invert: { applyInvert($0, $1, $2) },
        highlight: { applyHighlight($0, $1, $2) },
        vignette: { applyVignette($0, $1, $2) },
        lut: { applyLut($0, $1, $2) },
        chroma_key: { applyChromaKey($0, $1, $2) },
        blend: { applyBlend($0, $1, $2 != 0, $3, $4) },
        sum_rows: { sumRows($0, $1, $2, $3, $4) },
        pixels_per_vector: lanes / 4,
        filter_pixels: { filterPixels($0, $1, $2, $3, $4, $5) },
        split_row: { splitRow($0, $1, $2, $3, $4) },
        join_row: { joinRow($0, $1, $2, $3) },
        zoom_rows: { zoomRows($0, $1, $2, $3, $4, $5, $6, $7) })
}

/// The length of a table that a register holds and that each lane can pick from; 0 where there is no instruction for
/// that.
@inline(__always)
private var registerTableSize: Int {
    #if HDR_REGISTER_TABLES
        lanes
    #else
        0
    #endif
}
