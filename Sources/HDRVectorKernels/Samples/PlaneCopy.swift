import CSIMD

/// Conversion between formats of the same colours that hold luma in a plane: luma is copied, and so is chroma where its
/// subsampling is the same.
extension RowSlice {
    @inline(never)
    func convertPlanes<Form: SampleForm>(_ form: Form.Type, _ first: Int, _ end: Int) {
        let reader = FormReader<Form>(layout: plan.pointee.source)
        let layout = plan.pointee.target
        let bytes = Int(layout.bytes_per_word)
        let isDirect = plan.pointee.is_direct != 0
        let movesLuma = plan.pointee.keeps_words != 0
        let movesChroma =
            movesLuma && isDirect && Int(layout.packing) == KernelPackingPlanar
            && Int(reader.layout.packing) == KernelPackingPlanar
        let shift = Int(layout.vertical_shift)
        var y = first
        while y < end {
            let row = y &>> shift
            let hasChroma = row &<< shift == y && (shift == 0 || row < target.pointee.chroma_rows)
            // The chroma row in the source, where the subsampling is the same.
            let from = shift == 0 ? y : smaller(row, larger(source.pointee.chroma_rows, 1) &- 1)
            let code = form.codes(plan, writer, y)
            eachChunk { x, count in
                let rows = scratch.chunk(count).rows
                let column = x &>> Int(layout.horizontal_shift)
                let length = layout.horizontal_shift == 0 ? count : (count &+ 1) / 2
                reader.prefetch(source, y, x &+ chunkLength)
                if movesLuma {
                    // Luma that was unpacked into the target is there already.
                    if source.pointee.data.0 != target.pointee.data.0 {
                        moveBytes(source, 0, y, target, 0, y, x &* bytes, count &* bytes)
                    }
                } else {
                    if Int(layout.packing) != KernelPackingV210 && Int(reader.layout.packing) != KernelPackingV210 {
                        let (from, to) = (kernel_row(source, 0, y)!, kernel_row(target, 0, y)!)
                        moveSamples(form, reader.layout, writer, from, to, x, count, code.0)
                    } else {
                        reader.readLuma(source, y, x, count, rows.a)
                        if Int(layout.packing) != KernelPackingV210 {
                            writer.writePlane(0, target, y, x, count, rows.a, code.0)
                        }
                    }
                }
                guard hasChroma else { return }
                if movesChroma {
                    let (b, c) = (reader.layout.places.1, reader.layout.places.2)
                    moveBytes(source, b, from, target, layout.places.1, row, column &* bytes, length &* bytes)
                    moveBytes(source, c, from, target, layout.places.2, row, column &* bytes, length &* bytes)
                } else if isDirect {
                    reader.readChroma(source, from, column, length, rows.b, rows.c)
                    if Int(layout.packing) == KernelPackingV210 {
                        writePackedHalves(y, x, count, (rows.b, rows.c), code.0, code.1)
                    } else {
                        let code = form.codes(plan, writer, row).1
                        writer.writeChroma(target, row, column, length, (rows.b, rows.c), code)
                    }
                } else {
                    let chroma = resample(y, x, count)
                    let recoding = Numbers.codes(plan, writer, row).1
                    if Int(layout.packing) == KernelPackingV210 {
                        writePackedHalves(y, x, count, chroma, code.0, recoding)
                    } else {
                        writer.writeChroma(target, row, column, length, chroma, recoding)
                    }
                }
            }
            y &+= 1
        }
    }

    /// The target's chroma for `count` pixels from column `x` of row `y`, which is even where the target halves chroma
    /// vertically.
    @inline(__always) private func resample(_ y: Int, _ x: Int, _ count: Int) -> (Row, Row) {
        let upper = chroma(y, 0, x, count, into: scratch.upper)
        if plan.pointee.target.vertical_shift == 0 || plan.pointee.nearest != 0 { return upper }
        // The picture's first and last rows repeat.
        let hasLower = y &+ 1 < source.pointee.height
        let lower = hasLower ? chroma(y &+ 1, 1, x, count, into: scratch.lower) : upper
        let length = (count &+ 1) / 2
        // This is a copy, since the row above may be the upper one, which the result replaces.
        let outer = scratch.outer
        if plan.pointee.target_cosited_y != 0 {
            if y > 0 {
                _ = chroma(y &- 1, 2, x, count, into: outer)
            } else {
                copy(upper.0, outer.0, length)
                copy(upper.1, outer.1, length)
            }
        }
        combine(plan, target, outer.0, upper.0, lower.0, length)
        combine(plan, target, outer.1, upper.1, lower.1, length)
        return upper
    }

    /// Chroma at the height of row `y` and at the target's columns.
    /// - Parameter slot: which of the rows that are halved side by side this one is, 0 to 2.
    @inline(__always)
    private func chroma(_ y: Int, _ slot: Int, _ x: Int, _ count: Int, into out: (Row, Row)) -> (Row, Row) {
        if plan.pointee.keeps_columns != 0 {
            readBetween(plan, reader, source, y, x / 2, (count &+ 1) / 2, out.0, out.1)
            return out
        }
        let rows = scratch.chunk(count).rows
        if reader.layout.horizontal_shift == 0 {
            reader.readChroma(source, y, x, count, rows.b, rows.c)
        } else {
            upsample(plan, reader, source, y, x, count, scratch, rows)
        }
        if plan.pointee.target.horizontal_shift == 0 { return (rows.b, rows.c) }
        InColumns.halve(plan, slot, x, count, scratch, into: out)
        return out
    }
}
