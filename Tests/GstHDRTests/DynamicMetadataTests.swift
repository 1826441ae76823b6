import CGStreamer
import CGstCheck
import HDRBitstream
import HDRExport
import HDRMetadata
import TestSupport
import Testing

@testable import GstHDR

/// Dynamic metadata in process, where sanitizers see what elements do with them.
@Suite(.quiet)
struct DynamicMetadataTests {
    private static func level1(_ maximum: UInt16 = 3000) -> DolbyVisionRPU.Level1 {
        DolbyVisionRPU.Level1(minimumPQ: 0, maximumPQ: maximum, averagePQ: 1500)
    }
    private static func rpu84(_ maximum: UInt16 = 3000, level5: DolbyVisionRPU.Level5? = nil) throws -> [UInt8] {
        try DolbyVisionRPU.profile84(level1: level1(maximum), level5: level5, beginsScene: true).payload()
    }
    private static func hdr10Plus() throws -> [UInt8] {
        var metadata = HDR10PlusMetadata()
        metadata.windows[0].maxSCL = SIMD3(9000, 8000, 7000)
        metadata.windows[0].averageMaxRGB = 900
        return try metadata.payload
    }

    // MARK: hdrmetaparse

    private final class ParserHarness: ElementHarness, @unchecked Sendable {
        init() throws {
            try super.init(element: "hdrmetaparse")
            gst_harness_set_src_caps_str(
                harness, "video/x-h265,stream-format=byte-stream,alignment=au,width=1920,height=1080")
        }

        func passed(_ bytes: [UInt8]) throws -> UnsafeMutablePointer<GstBuffer> {
            let buffer = try #require(UnsafeMutablePointer<GstBuffer>(bytes))
            #expect(gst_harness_push(harness, buffer) == GST_FLOW_OK)
            return try #require(gst_harness_try_pull(harness))
        }
    }

    private static func accessUnit(_ rpu: [UInt8]) -> [UInt8] {
        let slice = (0..<60).map { UInt8($0 * 7 % 251 + 4) }
        return [0, 0, 0, 1, 2, 1] + slice + [0, 0, 1, 0x7C, 1] + EmulationPrevention.inserted(into: rpu)
    }

    @Test func accessUnitsPassWithTheirMetadata() throws {
        let parser = try ParserHarness()
        let rpu = try Self.rpu84()
        let unit = Self.accessUnit(rpu)
        let buffer = try parser.passed(unit)
        defer { gst_buffer_unref(buffer) }
        #expect(buffer.withBytes { Array($0) } == unit)
        let metadata = try #require(buffer.metadata(.dolbyVision))
        #expect(metadata.payload.bytes == rpu && !metadata.isStale)
        #expect(metadata.width == 1920 && metadata.height == 1080)
        #expect(parser.posted().isEmpty)
    }

    /// Damaged access units pass too, byte for byte, and at most one warning says so.
    @Test func damagedAccessUnitsPass() throws {
        let parser = try ParserHarness()
        let unit = Self.accessUnit(try Self.rpu84())
        var random = SeededGenerator(seed: 62)
        var found = 0
        for _ in 0..<TestWork.scaled(20_000, least: 500) {
            var bytes = unit
            for _ in 0..<random.below(5) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if random.below(6) == 0 { bytes.removeLast(random.below(bytes.count)) }
            let buffer = try parser.passed(bytes)
            defer { gst_buffer_unref(buffer) }
            #expect(buffer.withBytes { $0.elementsEqual(bytes) } == true)
            if buffer.metadata(.dolbyVision) != nil { found += 1 }
        }
        #expect(found > 0)
        let messages = parser.posted()
        #expect(messages.count == 1 && messages.allSatisfy { $0.type == GST_MESSAGE_WARNING }, "\(messages)")
    }

    // MARK: hdrconvert

    /// Pictures of one stream with other metadata each: profiles, formats, stale ones, and bytes that are none.
    @Test(arguments: ["bt2100-hlg", "bt2100-pq"]) func metadataChangeFromPictureToPicture(_ colorimetry: String) throws
    {
        let size = (width: 160, height: 90)
        let harness = try Harness(caps("P010_10LE", colorimetry, size.width, size.height), to: want("NV12", "bt709"))
        var random = SeededGenerator(seed: 84)
        let picture = PictureCodes(size.width, size.height) { x, y in
            SIMD4(UInt16(64 + (x * 5 + y) % 800), UInt16(300 + x), UInt16(400 + y), .max)
        }
        let count = TestWork.scaled(400, least: 40)
        var pulled = 0
        for index in 0..<count {
            let buffer = try Buffer(picture, try harness.inputInfo())
            buffer.pointer.pointee.pts = GstClockTime(index) * 40_000_000
            for format in DynamicMetadataPayload.Format.allCases where random.below(2) == 0 {
                var bytes =
                    switch format {
                    case .dolbyVision: try Self.rpu84(UInt16(2100 + random.below(1900)))
                    case .hdr10Plus: try Self.hdr10Plus()
                    case .st209450: [UInt8](repeating: 7, count: random.below(40) + 1)
                    }
                if random.below(4) == 0 { bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8)) }
                buffer.pointer.setMetadata(
                    BufferMetadata(
                        payload: DynamicMetadataPayload(format, bytes), isStale: random.below(4) == 0, width: 160,
                        height: 90))
            }
            if random.below(16) == 0 { harness.set("dynamic-metadata", ["auto", "ignore"][random.below(2)]) }
            #expect(harness.push(buffer) == GST_FLOW_OK)
            while let made = harness.pull() {
                pulled += 1
                #expect(DynamicMetadataPayload.Format.allCases.allSatisfy { made.pointer.metadata($0) == nil })
            }
        }
        gst_harness_push_event(harness.harness, gst_event_new_eos())
        while harness.pull() != nil { pulled += 1 }
        #expect(pulled == count)
        #expect(harness.messages().isEmpty)
    }

    // MARK: What an export writes

    private static func maker(
        _ change: (inout ExportPlanner, inout SourceFormat) -> Void = { _, _ in }
    ) throws -> PictureMetadataMaker {
        var source = SourceFormat(
            width: 1920, height: 1080, frameRate: Fraction(25, 1), bitDepth: 10, chroma: .yuv420,
            color: ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false))
        source.dynamicMetadata = [.dolbyVision]
        var planner = ExportPlanner(preset: .hevcHighestQuality)
        change(&planner, &source)
        let plan: VideoPlan = try planner.plan(video: source)
        return PictureMetadataMaker(plan, source: FrameSize(source.width, source.height), interval: 0.04)
    }

    private static func metadata(_ bytes: [UInt8], width: Int = 1920, height: Int = 1080) -> BufferMetadata {
        BufferMetadata(payload: DynamicMetadataPayload(.dolbyVision, bytes), width: width, height: height)
    }

    @Test func preservedOnesAreTheSameBytes() throws {
        var maker = try Self.maker()
        let bytes = try Self.rpu84()
        #expect(maker.payloads([Self.metadata(bytes)], nil, nil) == [DynamicMetadataPayload(.dolbyVision, bytes)])
        // A picture without its own has the last one.
        #expect(maker.payloads([], nil, nil).count == 1)
    }

    /// Bars of the source follow where it is turned, and where somebody has halved it before.
    @Test func blackBarsFollow() throws {
        let bars = DolbyVisionRPU.Level5(left: 0, right: 0, top: 140, bottom: 120)
        let bytes = try Self.rpu84(level5: bars)
        var maker = try Self.maker { planner, source in
            planner.carriesRotation = false
            source.rotation = 90
        }
        func level5(_ payloads: [DynamicMetadataPayload]) throws -> DolbyVisionRPU.Level5? {
            try DolbyVisionRPU(payload: try #require(payloads.first).bytes).displayManagement?.level5
        }
        #expect(
            try level5(maker.payloads([Self.metadata(bytes)], nil, nil))
                == DolbyVisionRPU.Level5(left: 120, right: 140, top: 0, bottom: 0))
        var whole = try Self.maker()
        #expect(
            try level5(whole.payloads([Self.metadata(bytes, width: 3840, height: 2160)], nil, nil))
                == DolbyVisionRPU.Level5(left: 0, right: 0, top: 70, bottom: 60))
    }

    @Test func damagedOnesAreReplacedByTheLast() throws {
        var maker = try Self.maker()
        let bytes = try Self.rpu84()
        _ = maker.payloads([Self.metadata(bytes)], nil, nil)
        var broken = bytes
        broken[30] ^= 4
        let made = maker.payloads([Self.metadata(broken)], nil, nil)
        #expect(made.map(\.bytes) == [bytes])
        #expect(maker.problem?.contains("CRC") == true)
    }
}
