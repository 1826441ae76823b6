import Testing

@testable import HDRExport

/// Names, nicks and ranges are those of GStreamer's plugins nvcodec, va and qsv.
@Suite struct EncoderOptionsHardwareTests {
    static func hardware(
        _ kind: SourceKind, _ preset: ExportPreset, _ settings: Setting..., speed: EncoderSpeed = .medium
    ) throws -> [String: EncoderOptions] {
        let nested = try VideoSettings([Setting("compression-properties", .nested(settings))])
        let plan: VideoPlan = try ExportPlanner(preset: preset, settings: nested).plan(video: kind.format())
        let all = EncoderOptions.candidates(for: plan, speed: speed).filter(\.isHardware)
        return Dictionary(uniqueKeysWithValues: all.map { ($0.factory, $0) })
    }

    @Test(arguments: [
        ("h265", ExportPreset.hevc1920x1080, ["hdrx265enc", "x265enc"]), ("h264", .h264_1920x1080, ["x264enc"]),
    ])
    func hardwareComesFirst(_ codec: String, _ preset: ExportPreset, _ software: [String]) throws {
        let plan: VideoPlan = try ExportPlanner(preset: preset).plan(video: SourceKind.bt709.format())
        let all = EncoderOptions.candidates(for: plan)
        #expect(
            all.map(\.factory) == [
                "nv\(codec)enc", "nvcuda\(codec)enc", "va\(codec)enc", "va\(codec)lpenc", "qsv\(codec)enc",
            ] + software)
        let devices = all.dropLast(software.count)
        #expect(devices.allSatisfy(\.isHardware) && !all.suffix(software.count).contains(where: \.isHardware))
        #expect(EncoderOptions.candidates(for: plan, withHardware: false) == all.suffix(software.count))
        #expect(devices.allSatisfy { $0.rawFormat == "NV12" && $0.muxerCaps.isEmpty && $0.priming == 0 })
    }

    /// A name that is none of them is refused before anything is planned.
    @Test(arguments: ExportPreset.allCases) func everyEncoderIsKnown(_ preset: ExportPreset) throws {
        guard let plan: VideoPlan = try? ExportPlanner(preset: preset).plan(video: SourceKind.bt709.format()) else {
            return
        }
        let names = EncoderOptions.candidates(for: plan).map(\.factory)
        #expect(Set(names).isSubset(of: EncoderOptions.videoFactories), "\(names)")
    }

    @Test func hdr10ByBitRate() throws {
        let all = try Self.hardware(.hdr10, .hevc1920x1080)
        let nvidia =
            "preset=p4 gop-size=60 bframes=3 rc-mode=vbr bitrate=10108 max-bitrate=15162"
        #expect(all["nvh265enc"]?.launchDescription == "nvh265enc " + nvidia)
        #expect(all["nvcudah265enc"]?.launchDescription == "nvcudah265enc " + nvidia)
        let va = "target-usage=4 key-int-max=60 b-frames=3 rate-control=vbr bitrate=10108 target-percentage=66"
        #expect(all["vah265enc"]?.launchDescription == "vah265enc " + va)
        #expect(all["vah265lpenc"]?.launchDescription == "vah265lpenc " + va)
        #expect(
            all["qsvh265enc"]?.launchDescription
                == "qsvh265enc target-usage=4 gop-size=60 idr-interval=1 b-frames=3 rate-control=vbr bitrate=10108 "
                + "max-bitrate=15162")
        for options in all.values {
            #expect(options.rawFormat == "P010_10LE")
            #expect(
                options.sourceCaps
                    == "video/x-h265, profile=(string)main-10, stream-format=(string)byte-stream, alignment=(string)au")
        }
    }

    /// Quantizers around the software encoder's rate factor.
    @Test func quality() throws {
        let hevc = try Self.hardware(.hlg, .hevcHighestQuality)
        #expect(
            hevc["nvh265enc"]?.launchDescription.hasSuffix("rc-mode=constqp qp-const-i=17 qp-const-p=20 qp-const-b=22")
                == true)
        #expect(hevc["vah265enc"]?.launchDescription.hasSuffix("rate-control=cqp qpi=17 qpp=20 qpb=22") == true)
        #expect(hevc["qsvh265enc"]?.launchDescription.hasSuffix("rate-control=cqp qp-i=17 qp-p=20 qp-b=22") == true)
        let avc = try Self.hardware(.bt709, .h264HighestQuality, Setting("quality", .double(0)))
        #expect(avc["vah264enc"]?.launchDescription.hasSuffix("qpi=32 qpp=35 qpb=37") == true)
        #expect(avc["qsvh264enc"]?.launchDescription.contains("idr-interval=0") == true)
        #expect(avc["qsvh264enc"]?.sourceCaps.hasPrefix("video/x-h264, profile=(string)high,") == true)
    }

    /// nvcodec's elements have other names and nicks in other versions, and no presets p1 to p7 in 1.22.
    @Test func versionsOfNVENC() throws {
        func property(_ name: String, _ settings: Setting...) throws -> EncoderProperty? {
            let nested = try VideoSettings([Setting("compression-properties", .nested(settings))])
            let plan: VideoPlan = try ExportPlanner(preset: .hevc1920x1080, settings: nested).plan(
                video: SourceKind.hlg.format())
            return EncoderOptions.candidates(for: plan).first?.properties.first { $0.names.contains(name) }
        }
        let quality = Setting("quality", .double(0.5))
        #expect(try property("rate-control")?.names == ["rc-mode", "rate-control"])
        #expect(try property("rate-control", quality)?.values == [.string("constqp"), .string("cqp")])
        #expect(try property("qp-i", quality) == EncoderProperty(["qp-const-i", "qp-i"], [.int(23)], .exact))
        #expect(try property("b-frames") == EncoderProperty(["bframes", "b-frames"], [.int(3)]))
        #expect(try property("preset")?.values == [.string("p4"), .string("hq")])
    }

    /// Properties that the plan depends on are required of the encoder; the others may be missing.
    @Test func demands() throws {
        for options in try Self.hardware(.hlg, .hevc1920x1080).values {
            for property in options.properties {
                let name = try #require(property.names.first)
                let wanted: EncoderProperty.Demand =
                    ["bitrate", "rate-control", "rc-mode"].contains(name)
                    ? .exact : ["gop-size", "key-int-max"].contains(name) ? .clamped : .preferred
                #expect(property.demand == wanted, "\(options.factory) \(name)")
            }
        }
    }

    /// VA-API and Quick Sync choose the level themselves.
    @Test func levelsAreForNVENC() throws {
        let all = try Self.hardware(.bt709, .h264_1920x1080, Setting("profile-level", .string("high-4.1")))
        #expect(Set(all.keys) == ["nvh264enc", "nvcudah264enc"])
        #expect(all["nvh264enc"]?.sourceCaps.hasSuffix("alignment=(string)au, level=(string)4.1") == true)
    }

    /// Formats that no hardware is known to take are not converted for it.
    @Test func otherFormatsStay() throws {
        let all = try Self.hardware(.hlg, .hevc1920x1080, Setting("profile-level", .string("main-422-10")))
        #expect(all.count == 5 && all.values.allSatisfy { $0.rawFormat == "I422_10LE" })
        #expect(all.values.allSatisfy { $0.sourceCaps.contains("profile=(string)main-422-10,") })
    }

    @Test func speeds() throws {
        var last = (1, 7)
        for speed in EncoderSpeed.allCases {
            let all = try Self.hardware(.hlg, .hevc1920x1080, speed: speed)
            let step = (speed.nvenc, speed.targetUsage)
            #expect((1...7).contains(step.0) && (1...7).contains(step.1))
            #expect(step.0 >= last.0 && step.1 <= last.1)
            #expect(all["nvh265enc"]?.launchDescription.contains("preset=p\(step.0) ") == true)
            #expect(all["qsvh265enc"]?.launchDescription.contains("target-usage=\(step.1) ") == true)
            last = step
        }
        #expect(last == (7, 1) && EncoderSpeed.ultrafast.nvenc == 1)
    }

    @Test func theSummaryNamesTheEncoder() throws {
        let plan: VideoPlan = try ExportPlanner(preset: .hevc1920x1080).plan(video: SourceKind.hlg.format())
        let all = EncoderOptions.candidates(for: plan)
        let hardware = plan.summary(encoder: all.first)
        #expect(hardware.contains("encoder: nvh265enc, in hardware") && hardware.first?.contains("P010_10LE") == true)
        #expect(plan.summary(encoder: all.last).contains("encoder: x265enc"))
        #expect(plan.summary == plan.summary(encoder: nil) && !plan.summary.contains { $0.hasPrefix("encoder") })
    }
}
