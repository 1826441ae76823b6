/// A coded size less what is cropped from it.
struct CroppedSize {
    /// No level of H.264 or H.265 allows a larger side.
    static let limit = 1 << 16

    let width: Int
    let height: Int

    /// Reads the flag and the four offsets that both standards have. `cropX` and `cropY` are luma samples a step.
    init(
        width: Int, height: Int, cropX: Int, cropY: Int, _ reader: inout RBSPReader
    ) throws(BitstreamError) {
        var (cutX, cutY) = (0, 0)
        if try reader.flag() {
            for _ in 0..<2 { cutX += try reader.unsigned(upTo: Self.limit, "a horizontal crop of") * cropX }
            for _ in 0..<2 { cutY += try reader.unsigned(upTo: Self.limit, "a vertical crop of") * cropY }
        }
        guard cutX < width, cutY < height else {
            throw reader.failure("crops a picture of \(width)x\(height) by \(cutX)x\(cutY)")
        }
        self.width = width - cutX
        self.height = height - cutY
    }
}
