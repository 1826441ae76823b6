/// The memory layout of a raw format, and the values with which libx265 is told about it.
struct InputFormat: Equatable {
    enum Chroma: Int32 {
        // The values of X265_CSP_I420 and so on, which equal chroma_format_idc (H.265 6.2).
        case quarter = 1
        case half = 2
        case full = 3

        var widthShift: Int { self == .full ? 0 : 1 }
        var heightShift: Int { self == .quarter ? 1 : 0 }
    }

    enum Planes: Equatable {
        /// Three planes, in the order of the stream: Y, Cb, Cr or G, B, R.
        case separate(Int, Int, Int)
        /// Luma and interleaved chroma; the first sample is Cr where it is swapped.
        case interleaved(isSwapped: Bool)
    }

    let name: String
    /// The number of bits of the stream's samples: 8, 10 or 12.
    let depth: Int32
    /// The number of bits of a sample in memory, of which the highest `depth` are used: 16 where the samples are in the
    /// upper bits of words.
    let storedDepth: Int32
    let chroma: Chroma
    let planes: Planes

    private init(
        _ name: String, _ depth: Int32, _ chroma: Chroma, stored: Int32? = nil, _ planes: Planes = .separate(0, 1, 2)
    ) {
        self.name = name
        self.depth = depth
        storedDepth = stored ?? depth
        self.chroma = chroma
        self.planes = planes
    }

    var sampleBytes: Int { storedDepth > 8 ? 2 : 1 }

    /// The formats of the sink pad's template.
    static let all: [InputFormat] = [
        InputFormat("I420_10LE", 10, .quarter), InputFormat("I420", 8, .quarter),
        InputFormat("I420_12LE", 12, .quarter),
        InputFormat("Y444_10LE", 10, .full), InputFormat("Y444", 8, .full), InputFormat("Y444_12LE", 12, .full),
        InputFormat("I422_10LE", 10, .half), InputFormat("Y42B", 8, .half), InputFormat("I422_12LE", 12, .half),
        InputFormat("YV12", 8, .quarter, .separate(0, 2, 1)),
        InputFormat("GBR", 8, .full), InputFormat("GBR_10LE", 10, .full), InputFormat("GBR_12LE", 12, .full),
        InputFormat("P010_10LE", 10, .quarter, stored: 16, .interleaved(isSwapped: false)),
        InputFormat("P012_LE", 12, .quarter, stored: 16, .interleaved(isSwapped: false)),
        InputFormat("NV12", 8, .quarter, .interleaved(isSwapped: false)),
        InputFormat("NV21", 8, .quarter, .interleaved(isSwapped: true)),
        InputFormat("NV16", 8, .half, .interleaved(isSwapped: false)),
        InputFormat("NV61", 8, .half, .interleaved(isSwapped: true)),
        InputFormat("NV24", 8, .full, .interleaved(isSwapped: false)),
    ]

    static func named(_ name: String) -> InputFormat? { all.first { $0.name == name } }

    /// The size of a chroma plane.
    func chromaSize(width: Int, height: Int) -> (width: Int, height: Int) {
        (
            (width + (1 << chroma.widthShift) - 1) >> chroma.widthShift,
            (height + (1 << chroma.heightShift) - 1) >> chroma.heightShift
        )
    }
}
