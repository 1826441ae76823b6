import CGStreamer
import CGstCheck
import GstBridge
import HDRBitstream
import HDRColor
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
        turn: Orientation = Orientation(), _ change: (inout ExportPlanner, inout SourceFormat) -> Void = { _, _ in }
    ) throws -> PictureMetadataMaker {
        var source = SourceFormat(
            width: 1920, height: 1080, frameRate: Fraction(25, 1), bitDepth: 10, chroma: .yuv420,
            color: ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false))
        source.dynamicMetadata = [.dolbyVision]
        var planner = ExportPlanner(preset: .hevcHighestQuality)
        change(&planner, &source)
        let plan: VideoPlan = try planner.plan(video: source)
        return PictureMetadataMaker(plan, source: FrameSize(source.width, source.height), turn: turn, interval: 0.04)
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

    /// The first pictures without an RPU, or with one that cannot be read, have that of the next one.
    @Test func firstPicturesAreFilledWithTheNext() throws {
        var maker = try Self.maker()
        let bytes = try Self.rpu84()
        maker.begin(with: [Self.metadata([1, 2, 3]), Self.metadata(bytes), Self.metadata(try Self.rpu84(2500))])
        for own in [[], [Self.metadata([1, 2, 3])]] as [[BufferMetadata]] {
            #expect(maker.payloads(own, nil, nil) == [DynamicMetadataPayload(.dolbyVision, bytes)])
        }
        // Those of a halved picture are filled as the picture itself.
        let bars = DolbyVisionRPU.Level5(left: 0, right: 0, top: 140, bottom: 120)
        var halved = try Self.maker()
        halved.begin(with: [Self.metadata(try Self.rpu84(level5: bars), width: 3840, height: 2160)])
        let filled = try DolbyVisionRPU(payload: try #require(halved.payloads([], nil, nil).first).bytes)
        #expect(filled.displayManagement?.level5 == DolbyVisionRPU.Level5(left: 0, right: 0, top: 70, bottom: 60))
    }

    /// What a source has does not depend on its first picture alone.
    @Test func anyOfTheFirstPicturesTells() throws {
        func picture(_ metadata: BufferMetadata?) throws -> UnsafeMutablePointer<GstBuffer> {
            let buffer = try #require(UnsafeMutablePointer<GstBuffer>([0]))
            if let metadata { buffer.setMetadata(metadata) }
            return buffer
        }
        var stale = Self.metadata(try Self.rpu84())
        stale.isStale = true
        let pictures = [try picture(nil), try picture(Self.metadata(try Self.rpu84())), try picture(stale)]
        defer { for picture in pictures { gst_buffer_unref(picture) } }
        var source = SourceFormat(width: 1920, height: 1080)
        source.readMetadata(Array(pictures.prefix(1)), PictureHistory())
        #expect(source.dynamicMetadata.isEmpty)
        source.readMetadata(pictures, PictureHistory())
        #expect(source.dynamicMetadata == [.dolbyVision] && !source.hasStaleMetadata && !source.hasCroppedMetadata)
    }

    /// The plan knows that pictures were cropped, also where an application's metadata do not state their size.
    @Test func croppedSourcesAreKnown() throws {
        let cut = PictureHistory([
            .init(.init(FrameSize(1920, 1080)), .cut(FrameInsets(right: 960, bottom: 540)), .init(FrameSize(960, 540)))
        ])
        for (width, height) in [(0, 0), (1920, 1080)] {
            let buffer = try #require(UnsafeMutablePointer<GstBuffer>([0]))
            defer { gst_buffer_unref(buffer) }
            buffer.setMetadata(Self.metadata(try Self.rpu84(), width: width, height: height))
            var source = SourceFormat(width: 960, height: 540)
            source.readMetadata([buffer], cut)
            #expect(source.dynamicMetadata == [.dolbyVision] && source.hasCroppedMetadata)
        }
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

    /// What an element before the bin has turned is described as it was, and is told by where that has turned it to.
    @Test(arguments: [(90, false, [2, 1, 3, 4]), (0, true, [4, 3, 1, 2]), (180, true, [3, 4, 2, 1])])
    func barsFollowOthersTurns(_ angle: Int, _ isMirrored: Bool, _ expected: [UInt16]) throws {
        let bars = DolbyVisionRPU.Level5(left: 3, right: 4, top: 1, bottom: 2)
        let size = angle == 90 ? FrameSize(1080, 1920) : FrameSize(1920, 1080)
        var turn = Orientation()
        (turn.rotation, turn.isMirrored) = (angle, isMirrored)
        var maker = try Self.maker(turn: turn) { _, source in (source.width, source.height) = (size.width, size.height)
        }
        let made = maker.payloads([Self.metadata(try Self.rpu84(level5: bars))], nil, nil)
        let level5 = try #require(try DolbyVisionRPU(payload: made[0].bytes).displayManagement?.level5)
        #expect([level5.left, level5.right, level5.top, level5.bottom] == expected)
    }

    /// Of joined clips each is fitted into the frame, and what one says of its bars says nothing of the others.
    @Test func joinedClipsHaveTheirOwnBars() throws {
        var maker = try Self.maker { planner, source in
            planner.joinsSources = true
            source.dynamicMetadata = [.dolbyVision]
        }
        let planned = maker.geometry
        let light = Self.light(0.4)
        func level5(_ own: [BufferMetadata]) throws -> DolbyVisionRPU.Level5? {
            let made = maker.payloads(own, light, nil)
            return try DolbyVisionRPU(payload: try #require(made.first).bytes).displayManagement?.level5
        }
        let bars = DolbyVisionRPU.Level5(left: 0, right: 0, top: 140, bottom: 120)
        #expect(try level5([Self.metadata(Self.rpu84(level5: bars))]) == bars)
        let upright = SourceSize(size: FrameSize(720, 1280), pixelAspect: .one)
        maker.take(upright, planned)
        for _ in 0..<3 {
            #expect(try level5([]) == DolbyVisionRPU.Level5(left: 656, right: 657, top: 0, bottom: 0))
        }
        maker.take(planned, of: FrameSize(1920, 1080))
        #expect(try level5([]) == DolbyVisionRPU.Level5())
    }

    /// A picture that was cropped before is another one, and is measured.
    @Test func croppedPicturesAreMeasured() throws {
        var maker = try Self.maker { _, source in source.height = 1040 }
        let own = Self.metadata(try Self.rpu84())
        #expect(maker.measures(.dolbyVision, [own]))
        let made = maker.payloads([own], Self.light(0.4), nil)
        let level1 = try #require(try DolbyVisionRPU(payload: made[0].bytes).displayManagement?.level1)
        #expect(abs(Int(level1.averagePQ) - Int(0.4 * 4095)) < 4)
        // One that was cropped and scaled back has its size.
        var back = try Self.maker()
        back.history = PictureHistory([
            .init(.init(FrameSize(1920, 1080)), .cut(FrameInsets(right: 960, bottom: 540)), .init(FrameSize(960, 540))),
            .init(.init(FrameSize(960, 540)), .scale(fillsFrame: false), .init(FrameSize(1920, 1080))),
        ])
        let boxed = Self.metadata(
            try Self.rpu84(level5: DolbyVisionRPU.Level5(left: 10, right: 20, top: 100, bottom: 120)))
        #expect(back.measures(.dolbyVision, [boxed]))
        #expect(back.bars(of: boxed) == FrameInsets(left: 20, top: 200))
        // Of an application's metadata the size is that in front of what is known to change it.
        let unsized = Self.metadata(
            try Self.rpu84(level5: DolbyVisionRPU.Level5(left: 10, right: 20, top: 100, bottom: 120)), width: 0,
            height: 0)
        #expect(back.measures(.dolbyVision, [unsized]) && back.bars(of: unsized) == FrameInsets(left: 20, top: 200))
        var halved = try Self.maker { _, source in (source.width, source.height) = (960, 540) }
        halved.history = PictureHistory([
            .init(.init(FrameSize(1920, 1080)), .scale(fillsFrame: false), .init(FrameSize(960, 540)))
        ])
        #expect(!halved.measures(.dolbyVision, [unsized]))
        #expect(halved.bars(of: unsized) == FrameInsets(left: 5, top: 50, right: 10, bottom: 60))
        // One that has been scaled keeps its own.
        let scaled = try Self.maker { _, source in (source.width, source.height) = (960, 540) }
        #expect(!scaled.measures(.dolbyVision, [own]))
    }

    /// All pixels of one light.
    private static func light(_ signal: Double) -> LightStatistics {
        var statistics = LightStatistics()
        statistics.histogram[Int(signal * Double(LightStatistics.bins))] = 1000
        statistics.pixels = 1000
        statistics.maximum = PQ.eotf(signal)
        statistics.average = statistics.maximum
        return statistics
    }

    /// A shot begins once, though the tracker of scenes finds it a picture later.
    @Test func shotsBeginOnce() {
        var measured = MeasuredLight(interval: 0.04)
        var begins: [Int] = []
        for index in 0..<60 {
            measured.add(Self.light(index < 20 ? 0.3 : index < 40 ? 0.7 : 0.2))
            if measured.beginsShot { begins.append(index) }
        }
        #expect(begins == [0, 20, 40])
    }

    /// Smoothing never hides what a picture has: in fades level 1 keeps up, and it follows noise slowly.
    @Test(arguments: [6, 12, 25, 50]) func levelsKeepUpWithFades(length: Int) throws {
        var measured = MeasuredLight(interval: 0.04)
        for index in 0..<80 {
            let share = Double(min(max(index - 10, 0), length)) / Double(length)
            let signal = 0.2 + 0.6 * share
            measured.add(Self.light(signal), isJoint: index == 0)
            let light = try #require(measured.light)
            let own = MeasuredLight.Light(Self.light(signal))
            #expect(light.maximum >= own.maximum && light.maximum <= 1.0401 * own.maximum)
            #expect(abs(light.average / own.average - 1) < 0.01501)
        }
    }

    @Test func picturesWithoutLightDoNoHarm() {
        var measured = MeasuredLight(interval: 0.04)
        var odd = LightStatistics()
        odd.average = .nan
        odd.maximum = .nan
        for statistics in [LightStatistics(), odd, Self.light(0.5), odd, LightStatistics()] { measured.add(statistics) }
        #expect(measured.light != nil)
    }

    @Test func levelsFollowNoiseSlowly() throws {
        var measured = MeasuredLight(interval: 0.04)
        measured.add(Self.light(0.5), isJoint: true)
        let before = try #require(measured.light)
        measured.add(Self.light(0.505))
        let after = try #require(measured.light)
        let step = MeasuredLight.Light(Self.light(0.505)).average - before.average
        #expect(step > 0 && after.average - before.average < 0.3 * step)
    }

    @Test func sizesTravelInEvents() throws {
        let told = SourceSize(size: FrameSize(720, 576), pixelAspect: Fraction(16, 15))
        let event = try #require(told.event)
        defer { gst_event_unref(event) }
        #expect(SourceSize(told: event) == told)
        let other = try #require(gst_event_new_eos())
        defer { gst_event_unref(other) }
        #expect(SourceSize(told: other) == nil && SourceSize(caps: other) == nil)
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
