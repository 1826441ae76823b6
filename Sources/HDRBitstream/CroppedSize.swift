/// A coded size after cropping.
struct CroppedSize {
    /// The maximum width or height that any level of H.264 or H.265 allows.
    static let limit = 1 << 16

    let width: Int
    let height: Int

    /// Reads the flag and the four offsets, which have the same syntax in both standards. `cropX` and `cropY` are luma
    /// samples per unit of an offset.
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
