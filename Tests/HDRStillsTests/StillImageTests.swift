import HDRStills
import Testing

@Suite struct StillImageTests {
    private func make(
        bytes: Int, layout: StillImage.Layout = .rgb16, width: Int, height: Int, stride: Int
    ) -> StillError? {
        let memory = [UInt8](repeating: 0, count: bytes)
        return memory.withUnsafeBytes { pixels in
            do throws(StillError) {
                _ = try StillImage(
                    pixels: pixels, layout: layout, width: width, height: height, stride: stride,
                    color: .unspecified)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func rowsHaveToLieWithinTheMemory() {
        #expect(make(bytes: 60, width: 10, height: 1, stride: 60) == nil)
        #expect(make(bytes: 64 + 60, width: 10, height: 2, stride: 64) == nil, "the last row needs no padding")
        #expect(make(bytes: 64 + 59, width: 10, height: 2, stride: 64)?.message.contains("123 bytes") == true)
        #expect(make(bytes: 59, width: 10, height: 1, stride: 60) != nil)
        #expect(make(bytes: 0, width: 1, height: 1, stride: 6) != nil)
        #expect(make(bytes: 600, width: 10, height: 2, stride: 59)?.message.contains("stride of 59") == true)
        #expect(make(bytes: 600, width: 10, height: 2, stride: -60)?.message.contains("stride of -60") == true)
    }

    @Test(arguments: [0, -1, .min, 1 << 31, .max]) func sidesHaveARange(side: Int) {
        #expect(make(bytes: 600, width: side, height: 1, stride: .max)?.message.contains("\(side)x1") == true)
        #expect(make(bytes: 600, width: 1, height: side, stride: 6)?.message.contains("1x\(side)") == true)
    }

    @Test(arguments: StillImage.Layout.allCases) func sizesDoNotOverflow(layout: StillImage.Layout) {
        let most = Int(Int32.max)
        #expect(make(bytes: 16, layout: layout, width: most, height: most, stride: .max) != nil)
        #expect(make(bytes: 16, layout: layout, width: most, height: most, stride: most * 16) != nil)
        #expect(make(bytes: 16, layout: layout, width: 1, height: most, stride: .max) != nil)
    }

    @Test func pixelAspectRatiosHaveARange() {
        #expect(StillImage.PixelAspectRatio(width: 0, height: 1) == nil)
        #expect(StillImage.PixelAspectRatio(width: 1, height: -1) == nil)
        #expect(StillImage.PixelAspectRatio(width: 1 << 31, height: 1) == nil)
        #expect(StillImage.PixelAspectRatio(width: 1 << 31 - 1, height: 1)?.width == 2_147_483_647)
    }
}
