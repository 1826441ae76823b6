import TestSupport
import Testing

@testable import HDRColor

/// BT.2100 table 9, BT.2020 table 5 and BT.709 item 4.
struct QuantizationTests {
    struct Matrix: Sendable {
        let name: String
        let matrix: YCbCrMatrix
        let divisors: (cb: Double, cr: Double)
    }
    static let matrices = [
        Matrix(name: "BT.2020", matrix: .bt2020, divisors: (1.8814, 1.4746)),
        Matrix(name: "BT.709", matrix: .bt709, divisors: (1.8556, 1.5748)),
        Matrix(name: "BT.601", matrix: .bt601, divisors: (1.772, 1.402)),
        Matrix(name: "SMPTE 240M", matrix: .smpte240m, divisors: (1.826, 1.576)),
        Matrix(name: "FCC", matrix: .fcc, divisors: (1.78, 1.4)),
    ]

    @Test func lumaCoefficients() {
        #expect(YCbCrMatrix.bt2020.kr == 0.2627 && YCbCrMatrix.bt2020.kb == 0.0593)
        #expect(YCbCrMatrix.bt709.kr == 0.2126 && YCbCrMatrix.bt709.kb == 0.0722)
        #expect(YCbCrMatrix.bt601.kr == 0.299 && YCbCrMatrix.bt601.kb == 0.114)
        #expect(YCbCrMatrix.smpte240m.kr == 0.212 && YCbCrMatrix.smpte240m.kb == 0.087)
        #expect(YCbCrMatrix.fcc.kr == 0.30 && YCbCrMatrix.fcc.kb == 0.11)
    }

    /// Cb = (B' - Y') / divisor, Cr = (R' - Y') / divisor.
    @Test(arguments: matrices) func colorDifferences(_ row: Matrix) {
        let rgb = RGB(0.9, 0.25, 0.4)
        let y = row.matrix.kr * rgb.x + (1 - row.matrix.kr - row.matrix.kb) * rgb.y + row.matrix.kb * rgb.z
        let expected = RGB(y, (rgb.z - y) / row.divisors.cb, (rgb.x - y) / row.divisors.cr)
        #expect((row.matrix.fromRGB * rgb - expected).magnitude <= 1e-15)
        #expect((row.matrix.toRGB * expected - rgb).magnitude <= 1e-15)
        // Blue and red reach the ends of the colour differences, and grey is their middle.
        #expect(abs((row.matrix.fromRGB * RGB(0, 0, 1)).y - 0.5) <= 1e-15)
        #expect(abs((row.matrix.fromRGB * RGB(1, 0, 0)).z - 0.5) <= 1e-15)
        #expect((row.matrix.fromRGB * RGB(1, 1, 1) - RGB(1, 0, 0)).magnitude <= 1e-15)
    }

    /// Black, white and the colour differences' middle and ends.
    @Test(arguments: [
        (8, 16, 235, 128, 112), (10, 64, 940, 512, 448), (12, 256, 3760, 2048, 1792), (16, 4096, 60160, 32768, 28672),
    ])
    func narrowRange(_ bits: Int, _ black: Int, _ white: Int, _ middle: Int, _ reach: Int) {
        let rgb = Quantization(bits: bits, fullRange: false, matrix: nil)
        #expect(rgb.codes(of: RGB(0, 1, 0)) == [black, white, black])
        let yuv = Quantization(bits: bits, fullRange: false, matrix: .bt2020)
        #expect(yuv.codes(of: RGB(0, 0, 0)) == [black, middle, middle])
        #expect(yuv.codes(of: RGB(1, 1, 1)) == [white, middle, middle])
        #expect(yuv.codes(of: RGB(0, 0, 1))[1] == middle + reach)
        #expect(yuv.codes(of: RGB(1, 1, 0))[1] == middle - reach)
        #expect(yuv.codes(of: RGB(1, 0, 0))[2] == middle + reach)
        #expect(yuv.codes(of: RGB(0, 1, 1))[2] == middle - reach)
    }

    /// The code for the largest colour difference, 2^n, does not exist and is limited.
    @Test(arguments: [(8, 255), (10, 1023), (12, 4095), (16, 65535)])
    func fullRange(_ bits: Int, _ top: Int) {
        let rgb = Quantization(bits: bits, fullRange: true, matrix: nil)
        #expect(rgb.maxCode == top)
        #expect(rgb.codes(of: RGB(0, 1, 0.5)) == [0, top, top / 2 + 1])
        let yuv = Quantization(bits: bits, fullRange: true, matrix: .bt709)
        let middle = 1 << (bits - 1)
        #expect(yuv.codes(of: RGB(1, 1, 1)) == [top, middle, middle])
        #expect(yuv.codes(of: RGB(0, 0, 1))[1] == top)
        #expect(yuv.codes(of: RGB(1, 0, 0))[2] == top)
        // -0.5 * (2^n - 1) + 2^(n-1) = 0.5, rounded up.
        #expect(yuv.codes(of: RGB(1, 1, 0))[1] == 1)
    }

    @Test func roundsHalfUpAndLimits() {
        let q = Quantization(bits: 8, fullRange: true, matrix: nil)
        #expect(q.codes(of: RGB(100.5, 100.49, 99.5) / 255) == [101, 100, 100])
        #expect(q.codes(of: RGB(-1, 2, .nan)) == [0, 255, 0])
        #expect(q.codes(of: RGB(-.infinity, .infinity, 1e300)) == [0, 255, 255])
        // Narrow range keeps foot room and head room: -7 % to 109 %.
        #expect(Quantization.rgb10.codes(of: RGB(-0.0685, 1.09, -2)) == [4, 1019, 0])
    }

    @Test(arguments: [8, 10, 12, 16], [false, true]) func everyCodeComesBack(_ bits: Int, _ fullRange: Bool) {
        let rgb = Quantization(bits: bits, fullRange: fullRange, matrix: nil)
        let matrices: [YCbCrMatrix] = [.bt2020, .bt709, .bt601]
        let different = stride(from: 0, through: rgb.maxCode, by: max(1, rgb.maxCode / 4095)).filter { code in
            let other = rgb.maxCode - code
            let codes = RGB(Double(code), Double(other), Double(code / 2))
            return rgb.encode(rgb.decode(codes)) != codes
                || matrices.contains {
                    let yuv = Quantization(bits: bits, fullRange: fullRange, matrix: $0)
                    return yuv.encode(yuv.decode(codes)) != codes
                }
        }
        #expect(different == [])
    }

    /// R'G'B' codes through Y'CbCr of the same depth come back within one code: half a code of Y' and, for blue, half a
    /// code of Cb times 1.8814 * 219 / 224 make 1.42 before the last rounding.
    @Test(arguments: [8, 10, 12]) func rgbThroughYCbCr(_ bits: Int) {
        let rgb = Quantization(bits: bits, fullRange: false, matrix: nil)
        let yuv = Quantization(bits: bits, fullRange: false, matrix: .bt2020)
        var random = SeededGenerator(seed: 4)
        let worst = (0..<20000).map { _ in
            let codes = rgb.encode(random.color())
            return (rgb.encode(yuv.decode(yuv.encode(rgb.decode(codes)))) - codes).magnitude
        }.max()!
        #expect(worst <= 1)
    }

    /// Single precision carries 24 bits: 16-bit codes are within 0.02 of one.
    @Test func singlePrecision() {
        var random = SeededGenerator(seed: 5)
        var worst = 0.0
        for matrix in [nil, YCbCrMatrix.bt2020, .bt709, .bt601] {
            for fullRange in [false, true] {
                let q = Quantization(bits: 16, fullRange: fullRange, matrix: matrix)
                for _ in 0..<2000 {
                    let codes = q.encode(random.color())
                    let exact = q.decode(codes)
                    let single = q.decode(codes.converted(to: Float.self)).converted(to: Double.self)
                    worst = max(worst, (single - exact).magnitude * Double(q.maxCode))
                    let forward = (matrix?.fromRGB ?? .identity).converted(to: Float.self)
                    let back = q.codes(forward * exact.converted(to: Float.self)).converted(to: Double.self)
                    worst = max(worst, (back - codes).magnitude)
                }
            }
        }
        #expect(worst <= 0.02)
    }
}
