/// The positions of a picture's samples in memory, for planar 4:2:0 with two bytes for each sample, and with rows in
/// GStreamer's default layout: each begins at a multiple of 4 bytes.
struct Planes {
    /// The number of samples from one row to the next, of luma and of chroma.
    private let strides: (luma: Int, chroma: Int)
    private let heights: (luma: Int, chroma: Int)

    init(_ width: Int, _ height: Int) {
        strides = ((width + 1) / 2 * 2, ((width + 1) / 2 + 1) / 2 * 2)
        heights = ((height + 1) / 2 * 2, (height + 1) / 2)
    }

    /// The number of bytes of a whole picture.
    var size: Int { 2 * (strides.luma * heights.luma + 2 * strides.chroma * heights.chroma) }

    /// The index of the first sample of a row.
    func start(_ plane: Int, row: Int) -> Int {
        guard plane > 0 else { return row * strides.luma }
        return strides.luma * heights.luma + ((plane - 1) * heights.chroma + row) * strides.chroma
    }
}
