/// Where the samples of a picture are in memory, for 4:2:0 in planes with two bytes a sample and the rows as GStreamer
/// lays them out where nothing else is said: each begins at a multiple of 4 bytes.
struct Planes {
    /// Samples from one row to the next, of luma and of chroma.
    private let strides: (luma: Int, chroma: Int)
    private let heights: (luma: Int, chroma: Int)

    init(_ width: Int, _ height: Int) {
        strides = ((width + 1) / 2 * 2, ((width + 1) / 2 + 1) / 2 * 2)
        heights = ((height + 1) / 2 * 2, (height + 1) / 2)
    }

    /// Bytes of a whole picture.
    var size: Int { 2 * (strides.luma * heights.luma + 2 * strides.chroma * heights.chroma) }

    /// The first sample of a row.
    func start(_ plane: Int, row: Int) -> Int {
        guard plane > 0 else { return row * strides.luma }
        return strides.luma * heights.luma + ((plane - 1) * heights.chroma + row) * strides.chroma
    }
}
