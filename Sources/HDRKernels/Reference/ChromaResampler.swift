import HDRColor

/// Interpolates subsampled chroma at every luma position.
struct ChromaUpsampler: Sendable {
    let reader: SampleReader
    let siting: ChromaSiting
    let mode: ChromaMode

    /// Interpolates the chroma of picture row `y` at each of `width` luma positions.
    /// - Parameters:
    ///   - columns: whether to interpolate horizontally too, or only to that row.
    ///   - spare: two rows with one sample to spare on the left and eight on the right.
    @inline(__always)
    func upsample(
        _ component: Int, _ frame: FrameView, _ y: Int, width: Int, columns: Bool = true, into out: Row,
        spare: (Row, Row)
    ) {
        let layout = reader.layout
        let (near, far) = spare
        let count = (width &+ layout.horizontalShift) &>> layout.horizontalShift
        if layout.verticalShift == 0 {
            reader.read(component, frame, y, count: count, into: near)
        } else {
            let last = max(frame.chromaRows, 1) &- 1
            let vertical = ChromaInterpolation(
                position: y, cosited: siting.verticallyCosited, mode: mode, place: frame.chromaPlace)
            let first = min(max(vertical.first, 0), last)
            let second = min(vertical.first &+ 1, last)
            reader.read(component, frame, first, count: count, into: near)
            if vertical.secondWeight > 0 && first != second {
                reader.read(component, frame, second, count: count, into: far)
                let weight = Double(vertical.secondWeight)
                for i in 0..<count { near[i] += (far[i] - near[i]) * weight }
            }
        }
        if layout.horizontalShift == 0 || !columns {
            out.update(from: near, count: count)
            return
        }
        near[-1] = near[0]
        near[count] = near[count &- 1]
        // A chroma sample covers both luma positions; an odd width writes one sample more than it has.
        if mode == .nearest {
            for i in 0..<count {
                out[2 &* i] = near[i]
                out[2 &* i &+ 1] = near[i]
            }
        } else if siting.horizontallyCosited {
            for i in 0..<count {
                out[2 &* i] = near[i]
                out[2 &* i &+ 1] = (near[i] + near[i &+ 1]) * 0.5
            }
        } else {
            for i in 0..<count {
                let quarter = near[i] * 0.75
                out[2 &* i] = quarter + near[i &- 1] * 0.25
                out[2 &* i &+ 1] = quarter + near[i &+ 1] * 0.25
            }
        }
    }
}

/// Subsamples chroma that is given at every luma position.
struct ChromaDownsampler: Sendable {
    let siting: ChromaSiting
    let mode: ChromaMode

    /// Halves a row. `row` has one sample to spare on the left and one on the right.
    @inline(__always)
    func halve(_ row: Row, width: Int, into out: Row) {
        let count = (width &+ 1) / 2
        row[-1] = row[0]
        row[width] = row[width &- 1]
        if mode == .nearest {
            for i in 0..<count { out[i] = row[2 &* i] }
        } else if siting.horizontallyCosited {
            for i in 0..<count {
                out[i] = row[2 &* i] * 0.5 + (row[2 &* i &- 1] + row[2 &* i &+ 1]) * 0.25
            }
        } else {
            for i in 0..<count { out[i] = (row[2 &* i] + row[2 &* i &+ 1]) * 0.5 }
        }
    }

    /// Whether an output row needs the picture row above its pair.
    var needsRowAbove: Bool { mode == .linear && siting.verticallyCosited }

    /// Filters an output row from the picture rows of its pair, and the row above them.
    /// - Parameters:
    ///   - upper: the even row, which the result replaces.
    ///   - lower: the odd row; at a picture's last, unpaired row the even one again.
    ///   - place: where chroma that is not cosited lies between the two rows of the pair, from 0 to 1.
    @inline(__always)
    func combine(above: Row, upper: Row, lower: Row, place: Float, count: Int) {
        if mode == .nearest { return }
        if siting.verticallyCosited {
            for i in 0..<count { upper[i] = upper[i] * 0.5 + (above[i] + lower[i]) * 0.25 }
        } else {
            let (first, second) = (Double(1 - place), Double(place))
            for i in 0..<count { upper[i] = upper[i] * first + lower[i] * second }
        }
    }
}
