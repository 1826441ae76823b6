import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct ExportPlannerColorTests {
    static func plan(
        _ kind: SourceKind, _ preset: ExportPreset = .hevc1920x1080, _ settings: VideoSettings = VideoSettings(),
        change: (inout SourceFormat) -> Void = { _ in }
    ) throws -> VideoPlan {
        var source = kind.format()
        change(&source)
        return try ExportPlanner(preset: preset, settings: settings).plan(video: source)
    }

    // MARK: The four tagging rules

    @Test(arguments: [ExportPreset.hevc1920x1080, .h264_1920x1080, .proRes422, .proRes4444])
    func setAndUntaggedIsTaggedOnly(_ preset: ExportPreset) throws {
        let color = try Self.plan(.untagged, preset, .color("P3_D65", "ITU_R_709_2", "ITU_R_709_2")).color
        #expect(color.action == .tag && color.source == nil)
        #expect(color.target.flatMap { ColorProperties($0) } == .displayP3)
    }

    @Test(arguments: [ExportPreset.hevc1920x1080, .h264_1920x1080, .proRes422])
    func setAndTaggedIsConvertedIfDifferent(_ preset: ExportPreset) throws {
        let requested = try VideoSettings.color("bt709", "bt709", "bt709")
        #expect(try Self.plan(.bt709, preset, requested).color.action == .keep)
        for kind in [SourceKind.displayP3, .hlg, .hdr10] {
            let color = try Self.plan(kind, preset, requested).color
            #expect(color.action == .convert && color.source == kind.color)
            #expect(color.target.flatMap { ColorProperties($0) } == .bt709)
        }
    }

    @Test func unsetAndTaggedIsCopied() throws {
        for kind in SourceKind.allCases where kind != .untagged {
            let color = try Self.plan(kind).color
            #expect(color.action == .keep && ColorProperties(color.target) == ColorProperties(kind.color))
        }
        #expect(try Self.plan(.displayP3, .h264_1920x1080).color.action == .keep)
    }

    @Test(arguments: [ExportPreset.hevc1920x1080, .h264_1920x1080, .proRes422])
    func unsetAndUntaggedIsUntagged(_ preset: ExportPreset) throws {
        for color in [nil, ColorDescription(primaries: 2, transfer: 2, matrix: 2)] {
            let plan = try Self.plan(.untagged, preset) { $0.color = color }
            #expect(plan.color.action == .untagged && plan.color.target == nil && plan.chromaLocation == nil)
        }
    }

    // MARK: Dynamic range

    @Test(arguments: [SourceKind.hdr10, .hlg]) func h264IsSDR(_ kind: SourceKind) throws {
        let plan = try Self.plan(kind, .h264_1920x1080)
        #expect(plan.color.action == .convert && ColorProperties(plan.color.target) == .bt709)
        #expect(plan.metadata == .none && plan.warnings.contains { $0.contains("becomes SDR") })
    }

    @Test func narrowColorOnDemand() throws {
        let narrow = try VideoSettings([Setting("allow-wide-color", .bool(false))])
        for kind in [SourceKind.hdr10, .hlg, .displayP3] {
            #expect(ColorProperties(try Self.plan(kind, .hevc1920x1080, narrow).color.target) == .bt709)
        }
        #expect(try Self.plan(.bt709, .hevc1920x1080, narrow).color.action == .keep)
    }

    @Test func matricesThatEncodersLackAreReplaced() throws {
        for (primaries, matrix) in [(UInt8(9), UInt8(9)), (12, 1), (1, 1), (6, 6)] {
            for unusable in [UInt8(0), 8, 10, 14] {
                let plan = try Self.plan(.bt709) {
                    $0.color = ColorDescription(primaries: primaries, transfer: 1, matrix: unusable)
                }
                #expect(plan.color.target?.matrix == matrix)
            }
        }
    }

    @Test func theOutputHasNarrowRange() throws {
        let plan = try Self.plan(.bt709) { $0.color?.isFullRange = true }
        #expect(plan.color.target?.isFullRange == false && plan.color.source?.isFullRange == true)
    }

    // MARK: Chroma location

    @Test func chromaKeepsItsPlaceUntilItIsMoved() throws {
        #expect(try Self.plan(.hdr10).chromaLocation == 2)
        #expect(try Self.plan(.hlg).chromaLocation == nil)
        #expect(try Self.plan(.bt709).chromaLocation == 0)
        #expect(try Self.plan(.hdr10, .h264_1920x1080).chromaLocation == 0)
        #expect(
            try Self.plan(.hlg, .hevc1920x1080) {
                $0.width = 3840; $0.height = 2160
            }.chromaLocation == 2)
        #expect(try Self.plan(.hlg) { $0.chroma = .yuv422 }.chromaLocation == 2)
        #expect(try Self.plan(.displayP3) { $0.chroma = .rgb }.chromaLocation == 0)
        #expect(try Self.plan(.hdr10, .proRes422).chromaLocation == nil)
        #expect(try Self.plan(.bt709) { $0.color?.chromaLocation = 200 }.chromaLocation == nil)
        let plan = try Self.plan(.hdr10)
        #expect(plan.color.target?.chromaLocation == plan.chromaLocation)
    }

    // MARK: Metadata

    @Test func propertiesOverrideTheSourcesMetadata() throws {
        let settings = try VideoSettings.compression(
            Setting("mastering-display-color-volume", .string(MetadataTextFixture.display)),
            Setting("content-light-level-info", .string("4000:1000")))
        let metadata = try Self.plan(.hdr10, .hevc1920x1080, settings).metadata
        #expect(metadata.masteringDisplay == .p3Studio)
        #expect(metadata.contentLightLevel == .fixed(ContentLightLevel(maximum: 4000, frameAverage: 1000)))
        // One of them alone leaves the other as it is.
        let one = try Self.plan(
            .hdr10, .hevc1920x1080, .compression(Setting("content-light-level-info", .string("auto")))
        ).metadata
        #expect(one.contentLightLevel == .measured && one.masteringDisplay == .p3Studio)
        #expect(one.known == StaticMetadata(masteringDisplay: .p3Studio))
    }

    @Test func metadataIsDroppedWhenLeavingPQ() throws {
        let hlg = try Self.plan(.hdr10, .hevc1920x1080, .color("bt2020", "hlg", "bt2020"))
        #expect(hlg.color.action == .convert && hlg.metadata.known == .none && hlg.metadata.dynamic.formats == [])
        let sdr = try Self.plan(.hdr10, .hevc1920x1080, .color("bt709", "bt709", "bt709"))
        #expect(sdr.metadata == .none)
        // Tagging computes nothing, so that the metadata still holds.
        let tagged = try Self.plan(.untagged, .hevc1920x1080, .color("bt2020", "pq", "bt2020")) {
            $0.metadata = SourceKind.hdr10.format().metadata
            $0.bitDepth = 10
        }
        #expect(tagged.metadata.known == SourceKind.hdr10.format().metadata)
    }

    @Test func measuringNeedsPQ() throws {
        let auto = try VideoSettings.compression(Setting("content-light-level-info", .string("auto")))
        for kind in [SourceKind.hlg, .bt709, .untagged] {
            let plan = try Self.plan(kind, .hevc1920x1080, auto)
            #expect(plan.metadata.contentLightLevel == .none && plan.warnings.contains { $0.contains("auto") })
        }
    }

    @Test func insertionModeNoneWritesNothing() throws {
        let none = try VideoSettings.compression(Setting("hdr-metadata-insertion-mode", .string("none")))
        #expect(try Self.plan(.hdr10, .hevc1920x1080, none).metadata == .none)
        #expect(try Self.plan(.hdr10, .hevc1920x1080, none).color.dynamicRange == .pq)
    }

    @Test func unbelievableMetadataIsLeftOut() throws {
        let plan = try Self.plan(.hdr10) {
            $0.metadata.contentLightLevel = ContentLightLevel(maximum: 0, frameAverage: 0)
        }
        #expect(plan.metadata.contentLightLevel == .none && plan.metadata.masteringDisplay == .p3Studio)
        #expect(plan.warnings.contains { $0.contains("MaxCLL is 0") })
    }

    @Test func framesMetadata() throws {
        func setting(_ preserve: Bool) throws -> VideoSettings {
            try .compression(Setting("preserve-dynamic-hdr-metadata", .bool(preserve)))
        }
        func action(_ plan: VideoPlan) -> DynamicMetadataPlan.Action { plan.metadata.dynamic.action }
        #expect(action(try Self.plan(.hlg)) == .preserve)
        #expect(action(try Self.plan(.hlg, .hevc1920x1080, setting(true))) == .preserve)
        #expect(action(try Self.plan(.hlg, .hevc1920x1080, setting(false))) == .recompute)
        #expect(action(try Self.plan(.hlg, .proRes422)) == .strip)
        #expect(action(try Self.plan(.hlg) { $0.width = 1919 }) == .recompute, "cropped")
        #expect(action(try Self.plan(.hlg) { $0.hasStaleMetadata = true }) == .recompute)
        #expect(action(try Self.plan(.hlg) { $0.isMirrored = true }) == .preserve)
        var requested = try VideoSettings.color("bt2020", "pq", "bt2020")
        requested.compression.preserveDynamicMetadata = true
        let converted = try Self.plan(.hlg, .hevc1920x1080, requested) { $0.dynamicMetadata = [.dolbyVision] }
        #expect(action(converted) == .recompute && converted.metadata.dynamic.formats == [.dolbyVision])
        #expect(converted.warnings.contains { $0.contains("cannot be followed: the color is converted") })
        #expect(converted.metadata.dynamic.summary == "Dolby Vision measured anew, because the color is converted")
    }

    @Test func framesMetadataByDynamicRange() throws {
        let all = Set(DynamicMetadataFormat.allCases)
        let pq = try Self.plan(.hdr10) { $0.dynamicMetadata = all }
        #expect(pq.metadata.dynamic == DynamicMetadataPlan(.preserve, all))
        let hlg = try Self.plan(.hlg) { $0.dynamicMetadata = all }
        #expect(hlg.metadata.dynamic.formats == [.dolbyVision, .st209450])
        #expect(hlg.warnings.contains { $0.contains("HDR10+ is left out") }, "\(hlg.warnings)")
        #expect(try Self.plan(.hdr10).metadata.dynamic.summary == nil)
    }

    /// Pictures are searched for them where the file can have them.
    @Test func framesMetadataAreLookedFor() throws {
        func looks(_ kind: SourceKind, _ preset: ExportPreset = .hevc1920x1080, _ settings: VideoSettings? = nil)
            -> Bool
        {
            ExportPlanner(preset: preset, settings: settings ?? VideoSettings()).looksForDynamicMetadata(kind.format())
        }
        #expect(looks(.hlg) && looks(.hdr10) && !looks(.bt709) && !looks(.untagged))
        #expect(!looks(.hlg, .proRes422) && !looks(.hlg, .h264_1920x1080) && !looks(.hlg, .passthrough))
        #expect(!looks(.hlg, .hevc1920x1080, try .color("bt709", "bt709", "bt709")))
        let none = try VideoSettings.compression(Setting("hdr-metadata-insertion-mode", .string("none")))
        #expect(!looks(.hlg, .hevc1920x1080, none))
    }

    /// What any of several sources has is measured for all of them, in any order.
    @Test func joinedSourcesShareTheirs() throws {
        func plan(
            _ kind: SourceKind, _ first: Set<DynamicMetadataFormat>, _ all: Set<DynamicMetadataFormat>,
            _ change: (inout ExportPlanner) -> Void = { $0.joinsSources = true }
        ) throws -> VideoPlan {
            var source = kind.format()
            source.dynamicMetadata = first
            var planner = ExportPlanner(preset: .hevc1920x1080)
            planner.joinedMetadata = all
            change(&planner)
            #expect(!planner.looksForDynamicMetadata(source))
            return try planner.plan(video: source)
        }
        let both: Set<DynamicMetadataFormat> = [.dolbyVision, .hdr10Plus]
        for first in [[], [.dolbyVision], [.hdr10Plus], both] as [Set<DynamicMetadataFormat>] {
            #expect(
                try plan(.hdr10, first, both).metadata.dynamic.summary
                    == "Dolby Vision and HDR10+ measured anew, because several sources are joined")
        }
        let hlg = try plan(.hlg, [], both)
        #expect(hlg.metadata.dynamic.formats == [.dolbyVision])
        #expect(hlg.warnings.contains { $0.contains("HDR10+ is left out") }, "\(hlg.warnings)")
        // One clip behind pictures that are made: it keeps its own.
        let behind = try plan(.hdr10, [], [.dolbyVision]) { _ in }
        #expect(behind.metadata.dynamic.action == .author)
        #expect(
            behind.metadata.dynamic.summary == "Dolby Vision measured and added, because several sources are joined")
        let asked = try plan(.hdr10, [], [.dolbyVision]) { $0.authored = .author(.hdr10Plus) }
        #expect(
            asked.metadata.dynamic.summary == "Dolby Vision and HDR10+ measured and added, because several sources are "
                + "joined and dynamic-hdr-metadata asks for it")
        #expect(try plan(.hdr10, [.dolbyVision], [.dolbyVision]) { _ in }.metadata.dynamic.action == .preserve)
    }

    @Test func framesMetadataInWords() throws {
        func summary(_ author: DynamicMetadataFormat, _ formats: Set<DynamicMetadataFormat>) throws -> String? {
            var source = SourceKind.hdr10.format()
            source.dynamicMetadata = formats
            var planner = ExportPlanner(preset: .hevc1920x1080)
            planner.authored = .author(author)
            return try planner.plan(video: source).metadata.dynamic.summary
        }
        let reason = "because dynamic-hdr-metadata asks for it"
        #expect(try summary(.dolbyVision, []) == "Dolby Vision measured and added, \(reason)")
        #expect(
            try summary(.dolbyVision, [.hdr10Plus])
                == "HDR10+ preserved, Dolby Vision measured and added, \(reason)")
        #expect(
            try summary(.hdr10Plus, [.dolbyVision])
                == "Dolby Vision preserved, HDR10+ measured and added, \(reason)")
        #expect(try summary(.hdr10Plus, [.hdr10Plus]) == "HDR10+ preserved")
        let none = try VideoSettings.compression(Setting("hdr-metadata-insertion-mode", .string("none")))
        let plan = try Self.plan(.hlg, .hevc1920x1080, none) { $0.dynamicMetadata = [.dolbyVision] }
        #expect(plan.metadata.dynamic.action == .strip && plan.metadata.dynamic.formats.isEmpty)
        #expect(
            plan.summary.contains("HDR metadata: Dolby Vision left out, because no HDR metadata are to be written"),
            "\(plan.summary)")
    }

    @Test func unusualTagsAreKeptWithAWarning() throws {
        let plan = try Self.plan(.hdr10) { $0.color = ColorDescription(primaries: 1, transfer: 16, matrix: 1) }
        #expect(plan.color.action == .keep && plan.warnings.contains { $0.contains("unusual") })
    }
}
