import CSIMD

/// Adds the kernels of 16-bit fixed point to a table. Only AVX-512 has instructions that look up 16-bit words in
/// registers, so that Package.swift leaves this folder out of the other targets.
func addFixedPoint(to table: inout KernelTable) {
    table.fixed_point_scratch_size = { FixedPointScratch.size(width: $0) }
    table.convert_fixed_point = { convertFixedPoint($0, $1, $2, $3, $4, $5) }
}

/// Converts rows `[first, end)` of a picture; `first` is even where the target halves chroma vertically.
@inline(never)
private func convertFixedPoint(
    _ plan: UnsafePointer<FixedPointPlan>, _ source: UnsafePointer<KernelFrame>, _ target: UnsafePointer<KernelFrame>,
    _ first: Int, _ end: Int, _ memory: UnsafeMutableRawPointer
) {
    let slice = FixedPointSlice(plan, source, target, FixedPointScratch(memory))
    if plan.pointee.target.vertical_shift != 0 {
        slice.convertPairs(first, end)
    } else {
        slice.convertRows(first, end)
    }
}

/// The number of pixels that are converted at a time: whole vectors, whole rows of dither (64) for chroma too, and
/// enough pixels to outweigh the filling and emptying of the pipeline at a chunk's ends.
@inline(__always) var fixedPointChunkLength: Int { 1920 }

/// The memory that one thread works in: rows that hold a chunk each, and one that holds a whole row of the picture.
struct FixedPointScratch {
    private let base: FixedPointRow
    private static var stride: Int { 64 &+ fixedPointChunkLength &+ 64 }

    static func size(width: Int) -> Int { 2 * (12 * stride + width + 128) }

    @inline(__always) init(_ memory: UnsafeMutableRawPointer) {
        base = memory.assumingMemoryBound(to: UInt16.self)
    }

    @inline(__always) private func row(_ index: Int) -> FixedPointRow { base + (index &* Self.stride &+ 64) }

    @inline(__always) var luma: FixedPointRow { row(0) }
    @inline(__always) var cb: FixedPointRow { row(1) }
    @inline(__always) var cr: FixedPointRow { row(2) }
    @inline(__always) var outLuma: FixedPointRow { row(3) }
    /// The colour differences.
    @inline(__always) var blue: FixedPointRow { row(4) }
    @inline(__always) var red: FixedPointRow { row(5) }
    /// Two rows of chroma as it was read, with one more column on either side.
    @inline(__always) var near: FixedPointRow { row(6) }
    @inline(__always) var far: FixedPointRow { row(7) }
    /// The halved colour differences of both rows of a pair.
    @inline(__always) var upper: FixedPointRow { row(8) }
    @inline(__always) var lower: FixedPointRow { row(9) }
    /// The last colour differences of the chunk to the left, for each row of a pair.
    @inline(__always) var carried: FixedPointRow { row(10) }
    /// The halved colour differences of the row above a pair, for the picture's whole width.
    @inline(__always) var above: FixedPointRow { row(11) }
}

private struct FixedPointSlice {
    let plan: UnsafePointer<FixedPointPlan>
    let source: UnsafePointer<KernelFrame>
    let target: UnsafePointer<KernelFrame>
    let scratch: FixedPointScratch
    let reader: FixedPointReader
    let writer: FixedPointWriter
    let width: Int

    @inline(__always) init(
        _ plan: UnsafePointer<FixedPointPlan>, _ source: UnsafePointer<KernelFrame>,
        _ target: UnsafePointer<KernelFrame>, _ scratch: FixedPointScratch
    ) {
        self.plan = plan
        self.source = source
        self.target = target
        self.scratch = scratch
        reader = FixedPointReader(plan, source, scratch)
        writer = FixedPointWriter(plan, target, scratch)
        width = source.pointee.width
    }

    @inline(__always) private func eachChunk(_ body: (_ x: Int, _ count: Int) -> Void) {
        var x = 0
        while x < width {
            body(x, smaller(width &- x, fixedPointChunkLength))
            x &+= fixedPointChunkLength
        }
    }

    /// Converts rows that share their chroma with no other row.
    @inline(never)
    func convertRows(_ first: Int, _ end: Int) {
        let isHalved = plan.pointee.target.horizontal_shift != 0
        var y = first
        while y < end {
            eachChunk { x, count in
                compute(0, y, x, count, into: scratch.upper)
                writer.writeLuma(y, x, count)
                if isHalved {
                    sum(scratch.upper, scratch.upper, scratch.upper, count)
                    writer.writeHalved(y, x / 2, (count &+ 1) / 2, scratch.upper)
                } else {
                    writer.writeChroma(y, x, count)
                }
            }
            y &+= 1
        }
    }

    /// Converts pairs of rows that share a row of chroma.
    @inline(never)
    func convertPairs(_ first: Int, _ end: Int) {
        let height = source.pointee.height
        let isAlone = plan.pointee.is_nearest != 0
        let isCosited = plan.pointee.target_cosited_y != 0 && !isAlone
        if isCosited && first > 0 {
            eachChunk { x, count in compute(0, first &- 1, x, count, into: scratch.above + x) }
        }
        var y = first
        while y < end {
            // The picture's first and last rows repeat.
            let hasLower = y &+ 1 < height
            eachChunk { x, count in
                let upper = scratch.upper
                let lower = hasLower ? scratch.lower : upper
                compute(0, y, x, count, into: upper)
                writer.writeLuma(y, x, count)
                if hasLower {
                    compute(1, y &+ 1, x, count, into: lower)
                    writer.writeLuma(y &+ 1, x, count)
                }
                // Chroma midway between two rows is their mean; for `nearest` that of the first row is taken.
                let above = !isCosited ? lower : y == 0 ? upper : scratch.above + x
                sum(isAlone ? upper : above, upper, isAlone ? upper : lower, count)
                if y / 2 < target.pointee.chroma_rows {
                    writer.writeHalved(y / 2, x / 2, (count &+ 1) / 2, upper)
                }
                if isCosited && hasLower { copy(lower, scratch.above + x, count) }
            }
            y &+= 2
        }
    }

    /// Computes luma and colour differences of a chunk.
    /// - Parameters:
    ///   - row: the row's number in its pair, 0 or 1.
    ///   - pairs: the row that receives the differences where they are halved.
    @inline(__always)
    private func compute(_ row: Int, _ y: Int, _ x: Int, _ count: Int, into pairs: FixedPointRow) {
        let output = FixedPointOutput(
            luma: scratch.outLuma, blue: scratch.blue, red: scratch.red, pairs: pairs,
            carried: scratch.carried + 64 &* row)
        let luma = reader.luma(y, x, count)
        let isMethodA = Int(plan.pointee.tone) == FixedPointToneMethodA
        if let chroma = reader.quarters(y, x, count) {
            let source = FixedPointQuarters(luma: luma, chroma: chroma)
            if isMethodA {
                convert(FixedPointMethodA.self, source, output, x, count)
            } else {
                convert(FixedPointGain.self, source, output, x, count)
            }
        } else {
            reader.readChroma(y, x, count)
            let source = FixedPointSamples(luma: luma, cb: scratch.cb, cr: scratch.cr)
            if isMethodA {
                convert(FixedPointMethodA.self, source, output, x, count)
            } else {
                convert(FixedPointGain.self, source, output, x, count)
            }
        }
    }

    @inline(__always)
    private func convert<Tone: FixedPointTone, Source: FixedPointSource>(
        _ tone: Tone.Type, _ source: Source, _ output: FixedPointOutput, _ x: Int, _ count: Int
    ) {
        if plan.pointee.target.horizontal_shift == 0 {
            convertColor(tone, source, FixedPointWhole.self, plan, output, isFirst: x == 0, count)
        } else {
            convertColor(tone, source, FixedPointHalved.self, plan, output, isFirst: x == 0, count)
        }
    }
}
