import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct HEVCSequenceParameterSetTests {
    @Test func anEncodersOwnSPS() throws {
        let sps = try HEVCSequenceParameterSet(BitstreamFixture.x265SPS)
        #expect(sps.width == 320 && sps.height == 180 && sps.chromaFormat == 1)
        #expect(sps.lumaDepth == 10 && sps.chromaDepth == 10)
        #expect(sps.profile.name == "Main 10" && sps.profile.levelName == "2.1" && !sps.profile.isHighTier)
        #expect(sps.color == .bt2100PQ)
    }

    /// x265 3.5: 322x182, 4:2:2 of 12 bits in BT.2020 HLG and full range with default scaling lists; 4:4:4 of 8 bits.
    @Test func rangeExtensions() throws {
        let wide = try HEVCSequenceParameterSet(
            MetadataFixture.bytes(
                "4201012408000003009908000003000099b00a480b9c965296566924e5780b7091209b6100000300010000030003001908"))
        #expect(wide.profile.name == "Main 4:2:2 12" && wide.profile.isHighTier && wide.profile.levelName == "5.1")
        #expect(wide.width == 322 && wide.height == 182 && wide.lumaDepth == 12 && wide.chromaFormat == 2)
        #expect(
            wide.color
                == ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: true, chromaLocation: 2))
        let full = try HEVCSequenceParameterSet(
            MetadataFixture.bytes(
                "4201010408000003004e0800000300003c90014901739ef2cacd24995e02d0d00000030010000003 019080"))
        #expect(full.profile.name == "Main 4:4:4" && full.chromaFormat == 3 && full.lumaDepth == 8)
        #expect(full.width == 322 && full.height == 182)
    }

    @Test func croppingCountsChromaSamples() throws {
        for (format, width, height) in [(0, 1918, 1081), (1, 1916, 1074), (2, 1916, 1081), (3, 1918, 1081)] {
            var sps = HEVCTestSPS()
            sps.chromaFormat = format
            sps.window = (1, 1, 3, 4)
            let read = try HEVCSequenceParameterSet(sps.unit)
            #expect(read.width == width && read.height == height, "chroma format \(format)")
        }
    }

    @Test func everyPartOfTheSyntaxIsPassed() throws {
        var sps = HEVCTestSPS()
        sps.subLayers = 3
        sps.subLayerFlags = [(true, true), (false, true), (true, false)]
        sps.scalingLists = true
        sps.pcm = true
        sps.longTerm = [3, 200]
        sps.referenceSets = ReferenceSetFixture.predictedSets
        sps.vui = .init(
            aspect: 255, sarWidth: 4, sarHeight: 3, overscan: true, signal: (2, true, (12, 1, 5)), chroma: (3, 4),
            timing: (1001, 60000))
        sps.id = 15
        sps.lumaDepth = 12
        sps.chromaDepth = 9
        let read = try HEVCSequenceParameterSet(sps.unit)
        #expect(read.id == 15 && read.lumaDepth == 12 && read.chromaDepth == 9 && read.height == 1080)
        #expect(
            read.color
                == ColorDescription(primaries: 12, transfer: 1, matrix: 5, isFullRange: true, chromaLocation: 3))
        #expect(read.videoFormat == 2)
    }

    @Test func aSetWithoutVUISaysNothing() throws {
        var sps = HEVCTestSPS()
        sps.vui = nil
        let read = try HEVCSequenceParameterSet(sps.unit)
        #expect(read.color == .unspecified && !read.layout.hasVUI && read.videoFormat == 5)
    }

    @Test func everyCutIsAnErrorOrTheWholeColor() throws {
        var sps = HEVCTestSPS()
        sps.vui = .init(signal: (5, false, (9, 16, 9)), chroma: (2, 2), timing: (1, 25))
        let unit = sps.unit
        let whole = try HEVCSequenceParameterSet(unit)
        var failures = 0
        for count in 0..<unit.count {
            do {
                // A cut may leave a bit that reads as the stop bit, so that the end of the VUI is all that it costs.
                let read = try HEVCSequenceParameterSet(Array(unit.prefix(count)))
                #expect(read.color.primaries == whole.color.primaries && read.width == whole.width)
            } catch is BitstreamError {
                failures += 1
            }
        }
        #expect(failures > unit.count / 2)
    }

    @Test func hostileNumbersAreErrors() {
        func fails(_ change: (inout HEVCTestSPS) -> Void, _ says: String) {
            var sps = HEVCTestSPS()
            change(&sps)
            let error = #expect(throws: BitstreamError.self) { try HEVCSequenceParameterSet(sps.unit) }
            #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
        }
        fails({ $0.id = 16 }, "sps_seq_parameter_set_id 16")
        fails({ $0.chromaFormat = 4 }, "chroma_format_idc 4")
        fails({ $0.width = 70000 }, "pic_width_in_luma_samples 70000")
        fails({ $0.window = (960, 0, 0, 0) }, "crops")
        fails({ $0.lumaDepth = 17 }, "bit_depth_luma_minus8 9")
        fails({ $0.referenceSets = { $0.ue(65) } }, "num_short_term_ref_pic_sets 65")
        fails(
            {
                $0.referenceSets = {
                    $0.ue(1)
                    $0.ue(10)
                    $0.ue(7)
                }
            }, "num_positive_pics 7")
        fails({ $0.longTerm = Array(repeating: 1, count: 33) }, "num_long_term_ref_pics_sps 33")
        fails({ $0.vui = .init(chroma: (6, 0)) }, "chroma_sample_loc_type_top_field 6")
    }

    @Test func otherUnitsAreNoSPS() {
        #expect(throws: BitstreamError.self) { try HEVCSequenceParameterSet(BitstreamFixture.pps + [1, 2, 3]) }
        // The same bytes in layer 1 have another syntax.
        var layered = BitstreamFixture.x265SPS
        layered[1] = 0x09
        #expect(throws: BitstreamError.self) { try HEVCSequenceParameterSet(layered) }
        #expect(throws: BitstreamError.self) { try HEVCSequenceParameterSet([0x42, 0x01]) }
        #expect(throws: BitstreamError.self) { try HEVCSequenceParameterSet([0x42, 0x01, 0, 0]) }
        #expect(throws: BitstreamError.self) { try HEVCSequenceParameterSet([]) }
    }

    @Test func profilesHaveTheirNames() {
        func name(_ code: UInt8, _ flags: UInt64, space: UInt8 = 0) -> String {
            HEVCProfile(
                space: space, isHighTier: false, code: code, compatibility: 0, constraints: flags << 35, level: 93
            ).name
        }
        // max_12bit, 10bit, 8bit, 422, 420, monochrome, intra, one_picture_only, lower_bit_rate.
        #expect(name(1, 0) == "Main" && name(2, 0) == "Main 10" && name(3, 0) == "Main Still Picture")
        #expect(name(4, 0b111111001) == "Monochrome")
        #expect(name(4, 0b100110001) == "Main 12")
        #expect(name(4, 0b110100001) == "Main 4:2:2 10")
        #expect(name(4, 0b110000001) == "Main 4:4:4 10")
        #expect(name(4, 0b110100100) == "Main 4:2:2 10 Intra")
        #expect(name(4, 0b000000100) == "Main 4:4:4 16 Intra")
        #expect(name(9, 0b110110001) == "Screen-Extended Main 10")
        #expect(name(1, 0, space: 2) == "profile 1 of space 2")
    }
}
