import CGStreamer
import HDRColor
import Testing

/// Code values that standards and arithmetic by hand give.
@Suite(.quiet)
struct PictureTests {
    struct Grey: Sendable, CustomTestStringConvertible {
        let source: Color
        let target: Color
        let toneMapping: String
        let code: UInt16
        let expected: UInt16
        init(_ source: Color, _ code: UInt16, _ target: Color, _ expected: UInt16, _ toneMapping: String = "auto") {
            (self.source, self.code, self.target, self.expected) = (source, code, target, expected)
            self.toneMapping = toneMapping
        }
        var testDescription: String { "\(source.name) \(code) to \(target.name), \(toneMapping)" }
    }

    /// 10-bit narrow range. BT.2408: 203 cd/m² is PQ 573 and HLG 721; 1000 cd/m² is PQ 723 and HLG 940. BT.2446-1
    /// method A takes 100, 203, 400 and 600 of 1000 cd/m² to 53.875, 68.686, 83.277 and 91.291 % of the SDR signal,
    /// ST 2094-50's map takes 100, 203 and 400 to 50, 101.5 and 150.36 cd/m².
    static let greys = [
        Grey(.pq, 64, .sdr, 64), Grey(.hlg, 64, .sdr, 64), Grey(.sdr, 64, .pq, 64), Grey(.sdr, 64, .hlg, 64),
        Grey(.sdr, 940, .pq, 573), Grey(.sdr, 940, .hlg, 721), Grey(.pq, 573, .sdr, 940, "none"),
        Grey(.pq, 573, .sdr, 940, "clip"), Grey(.hlg, 721, .sdr, 940, "none"), Grey(.pq, 900, .sdr, 940, "clip"),
        Grey(.pq, 723, .hlg, 940), Grey(.hlg, 940, .pq, 723), Grey(.pq, 573, .hlg, 721), Grey(.hlg, 721, .pq, 573),
        Grey(.hlg, 502, .pq, 450),
        Grey(.pq, 509, .sdr, 536, "bt2446a"), Grey(.pq, 573, .sdr, 666, "bt2446a"),
        Grey(.pq, 636, .sdr, 794, "bt2446a"), Grey(.pq, 723, .sdr, 940, "bt2446a"),
        Grey(.hlg, 721, .sdr, 666, "bt2446a"), Grey(.hlg, 940, .sdr, 940, "bt2446a"),
        Grey(.pq, 509, .sdr, 553), Grey(.pq, 573, .sdr, 720), Grey(.pq, 636, .sdr, 837), Grey(.pq, 723, .sdr, 940),
        Grey(.hlg, 721, .sdr, 720), Grey(.hlg, 940, .sdr, 940),
    ]

    @Test(arguments: greys) func grey(_ grey: Grey) throws {
        let source = caps("Y444_10LE", grey.source.ycbcr)
        let target = want("Y444_10LE", grey.target.ycbcr)
        for quality in ["balanced", "reference"] {
            let harness = try Harness(
                source, to: target,
                [
                    "tone-mapping": grey.toneMapping, "quality": quality, "peak-detection": "off",
                ])
            let pixel = try harness.convert(PictureCodes(32, 8, grey.code, 512, 512))[7, 3]
            #expect(abs(Int(pixel.x) - Int(grey.expected)) <= 1, "\(quality): \(pixel)")
            #expect(pixel.y == 512 && pixel.z == 512, "\(quality): \(pixel)")
        }
    }

    /// Colours of BT.709 in BT.2020: BT.2087's matrix, SDR white at 203 cd/m²; and back to the same codes.
    @Test(arguments: [SIMD3<UInt16>(940, 400, 300), SIMD3(300, 940, 400), SIMD3(400, 300, 940), SIMD3(940, 940, 250)])
    func primaries(_ code: SIMD3<UInt16>) throws {
        let sdr = "2:1:5:1"
        let pq = "2:1:14:7"
        let there = try Harness(caps("GBR_10LE", sdr), to: want("GBR_12LE", pq), ["quality": "reference"])
        let wide = try there.convert(PictureCodes(32, 8, code.x, code.y, code.z))
        func light(_ code: UInt16) -> Double { 203 * Double.pow((Double(code) - 64) / 876, 2.4) }
        let source = SIMD3(light(code.x), light(code.y), light(code.z))
        let matrix = [
            SIMD3(0.627404, 0.329283, 0.043313), SIMD3(0.069097, 0.919540, 0.011362),
            SIMD3(0.016391, 0.088013, 0.895595),
        ]
        for (index, row) in matrix.enumerated() {
            let expected = Int((256 + 3504 * PQ.inverseEOTF((row * source).sum())).rounded())
            #expect(abs(Int(wide[0, 0][index]) - expected) <= 1, "\(wide[0, 0])")
        }
        let back = try Harness(
            caps("GBR_12LE", pq), to: want("GBR_10LE", sdr),
            ["quality": "reference", "tone-mapping": "none", "gamut-mapping": "clip", "dither": "none"])
        let result = try back.convert(wide)[0, 0]
        for index in 0..<3 { #expect(abs(Int(result[index]) - Int(code[index])) <= 3, "\(result)") }
    }

    /// Alpha comes through every kind of conversion, and is opaque where the source has none.
    @Test(arguments: [
        ("RGBA", Color.sRGB, "RGBA", Color.displayP3), ("RGBA", .sRGB, "BGRA", .sRGB), ("ARGB", .sdr, "ABGR", .sRGB),
        ("GBRA_12LE", .pq, "RGBA64_LE", .sdr), ("RGBA64_LE", .hlg, "GBRA_12LE", .pq), ("AYUV64", .pq, "RGBA", .sdr),
        ("RGB10A2_LE", .pq, "ARGB64_LE", .sdr), ("ARGB64_LE", .pq, "BGR10A2_LE", .hlg), ("I420", .sdr, "RGBA", .pq),
        ("GBR_12LE", .pq, "GBRA_12LE", .sdr), ("xRGB", .sdr, "ARGB64_LE", .sRGB), ("v210", .hlg, "RGB10A2_LE", .sdr),
    ])
    func alpha(_ from: String, _ source: Color, _ to: String, _ target: Color) throws {
        let (from, to) = (Format(from), Format(to))
        let harness = try Harness(
            caps(from.name, source.colorimetry(from), 33, 7), to: want(to.name, target.colorimetry(to)))
        let half = UInt16(1 << (from.bits - 1))
        let picture = PictureCodes(33, 7) { x, y in
            SIMD4(half, half, half, UInt16((x * 1999 + y * 31) & Int(from.opaque)))
        }
        let result = try harness.convert(picture)
        let (top, fromTop) = (Int(to.opaque), Int(from.opaque))
        for (before, after) in zip(picture.pixels, result.pixels) {
            let expected = from.hasAlpha ? (Int(before.w) * top + fromTop / 2) / fromTop : top
            #expect(Int(after.w) == expected)
            guard Int(after.w) == expected else { return }
        }
    }

    /// Dither keeps the mean of a level between two codes, and leaves exact codes alone.
    @Test(arguments: ["ordered", "blue-noise"]) func ditherKeepsTheMean(_ dither: String) throws {
        let dithered = try Harness(
            caps("Y444_12LE", "bt709", 64, 64), to: want("Y444", "bt709"), ["dither": dither])
        let rounded = try Harness(caps("Y444_12LE", "bt709", 64, 64), to: want("Y444", "bt709"), ["dither": "none"])
        for sixteenths in [0, 4, 7, 8, 13] {
            let picture = PictureCodes(64, 64, UInt16(16 * 100 + sixteenths), 2048, 2048)
            let result = try dithered.convert(picture)
            let mean = result.pixels.reduce(0.0) { $0 + Double($1.x) } / Double(result.pixels.count)
            #expect(abs(mean - 100 - Double(sixteenths) / 16) <= 1.0 / 64, "\(sixteenths): \(mean)")
            #expect(result.pixels.allSatisfy { $0.y == 128 && $0.z == 128 })
            let flat = try rounded.convert(picture)
            #expect(Set(flat.pixels.map(\.x)) == [sixteenths < 8 ? 100 : 101])
        }
        // No dither where no bits are lost.
        let same = try Harness(
            caps("Y444_10LE", "bt2100-pq", 64, 64), to: want("I420_10LE", "bt709"), ["dither": dither])
        #expect(Set(try same.convert(PictureCodes(64, 64, 555, 512, 512)).pixels).count == 1)
    }

    /// A vertical edge in chroma stays where it is, by the siting of both sides: `linear` moves nothing by more than
    /// interpolation does.
    @Test(arguments: ["mpeg2", "jpeg", "cosited"], ["linear", "nearest"])
    func chromaPlaces(_ site: String, _ mode: String) throws {
        let harness = try Harness(
            caps("Y444_10LE", "bt2100-pq", 64, 32), to: want("I420_10LE", "bt2100-pq", "chroma-site=\(site)"),
            ["chroma-mode": mode])
        let back = try Harness(
            caps("I420_10LE", "bt2100-pq", site: site, 64, 32), to: want("Y444_10LE", "bt2100-pq"),
            ["chroma-mode": mode])
        let ramp = PictureCodes(64, 32) { x, y in SIMD4(500, UInt16(200 + 8 * x), UInt16(300 + 8 * y), 1023) }
        let halved = try harness.convert(try Buffer(ramp, try harness.inputInfo()))
        let result = try back.convert(halved).picture(try back.outputInfo())
        var largest = 0
        for y in 2..<30 {
            for x in 2..<62 {
                largest = max(largest, abs(Int(result[x, y].y) - Int(ramp[x, y].y)))
                largest = max(largest, abs(Int(result[x, y].z) - Int(ramp[x, y].z)))
            }
        }
        #expect(mode == "linear" ? largest <= 1 : largest == 8, "\(largest)")
    }
}
