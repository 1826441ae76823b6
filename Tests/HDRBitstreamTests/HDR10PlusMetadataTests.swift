import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct HDR10PlusMetadataTests {
    // MARK: Reading

    @Test func measuredLight() throws {
        let metadata = try HDR10PlusMetadata(payload: HDR10PlusFixture.measured)
        #expect(HDR10PlusFixture.measured.count == 49)
        #expect(metadata.applicationVersion == 1 && metadata.windows.count == 1)
        #expect(metadata.targetedSystemDisplayMaximumLuminance == 0)
        let window = try #require(metadata.windows.first)
        #expect(window.region == nil && window.toneMapping == nil && window.colorSaturationWeight == nil)
        #expect(window.maxSCL == SIMD3(20000, 20001, 20002) && window.averageMaxRGB == 20003)
        #expect(window.distributionMaxRGB.map { Int($0.percentage) } == HDR10PlusFixture.nine)
        #expect(window.distributionMaxRGB.last?.percentile == 20080 && window.fractionBrightPixels == 321)
        #expect(metadata.profile == .a)
        #expect(metadata.findings == ["average_maxrgb 20003 is above the largest maxscl, 20002"])
    }

    @Test func aToneCurve() throws {
        let metadata = try HDR10PlusMetadata(payload: HDR10PlusFixture.mapped)
        #expect(metadata.targetedSystemDisplayMaximumLuminance == 500 && metadata.profile == .b)
        let curve = try #require(metadata.windows.first?.toneMapping)
        #expect(curve.kneePoint == SIMD2(64, 128))
        #expect(curve.bezierCurveAnchors == (1...9).map { 100 * $0 })
    }

    @Test func everyFieldOfThreeWindows() throws {
        let metadata = try HDR10PlusMetadata(payload: HDR10PlusFixture.everything)
        #expect(metadata.applicationVersion == 0 && metadata.windows.count == 3)
        let region = try #require(metadata.windows[2].region)
        #expect(metadata.windows[0].region == nil && metadata.windows[1].region?.isLayered == false)
        #expect(region.upperLeftCorner == SIMD2(2000, 2001) && region.lowerRightCorner == SIMD2(2002, 2003))
        #expect(region.centerOfEllipse == SIMD2(2004, 2005) && region.rotationAngle == 92 && region.isLayered)
        #expect(region.semimajorAxisInternalEllipse == 2006 && region.semimajorAxisExternalEllipse == 2007)
        #expect(region.semiminorAxisExternalEllipse == 2008)
        #expect(metadata.targetedSystemDisplayActualPeakLuminance?.rows == [[0, 1, 2], [3, 4, 5]])
        #expect(metadata.masteringDisplayActualPeakLuminance == .init(rows: [], columns: 5))
        #expect(metadata.windows.map(\.averageMaxRGB) == [3, 1003, 2003])
        #expect(metadata.windows.map { $0.toneMapping?.bezierCurveAnchors.count } == [0, 15, nil])
        #expect(metadata.windows.map(\.colorSaturationWeight) == [63, 62, 61])
        #expect(metadata.alignment == 0x80 && metadata.trailing == [1, 2, 0])
    }

    @Test func whatIsNoMessageIsRefused() throws {
        for count in 0..<HDR10PlusFixture.measured.count {
            #expect(throws: BitstreamError.self) {
                try HDR10PlusMetadata(payload: HDR10PlusFixture.measured.prefix(count))
            }
        }
        var other = HDR10PlusFixture.measured
        other[5] = 5
        #expect(
            throws: BitstreamError("message is not HDR10+: it does not begin with B5 00 3C 00 01 04", at: 0)
        ) { try HDR10PlusMetadata(payload: other) }
        #expect(
            throws: BitstreamError("HDR10+ message has application_version 2, and 0 and 1 are known", at: 7)
        ) { try HDR10PlusMetadata(payload: HDR10PlusFixture.start(version: 2).bytes() + HDR10PlusFixture.measured) }
        #expect(throws: BitstreamError("HDR10+ message has num_windows 0, and there are 1 to 3", at: 7)) {
            try HDR10PlusMetadata(payload: HDR10PlusFixture.start(windows: 0).bytes() + HDR10PlusFixture.measured)
        }
    }

    // MARK: Writing

    @Test func messagesAreWrittenAsTheyWereRead() throws {
        for message in HDR10PlusFixture.messages {
            #expect(try HDR10PlusMetadata(payload: message).payload == message)
            #expect(try HDR10PlusMetadata(payload: message[...]).payload == message)
        }
    }

    @Test func editsAreWritten() throws {
        var metadata = try HDR10PlusMetadata(payload: HDR10PlusFixture.measured)
        metadata.targetedSystemDisplayMaximumLuminance = 500
        metadata.windows[0].maxSCL = SIMD3(40000, 40001, 40002)
        metadata.windows[0].averageMaxRGB = 40003
        for index in 0..<9 { metadata.windows[0].distributionMaxRGB[index].percentile += 20000 }
        metadata.windows[0].toneMapping = .init(
            kneePoint: SIMD2(64, 128), bezierCurveAnchors: (1...9).map { 100 * $0 })
        #expect(try metadata.payload == HDR10PlusFixture.mapped)
        // A stop bit stays one, however many bits are left for it.
        metadata.alignment = 0x80
        #expect(
            try metadata.payload == HDR10PlusFixture.mapped.dropLast() + [
                HDR10PlusFixture.mapped[HDR10PlusFixture.mapped.count - 1] | 0x40
            ])
        metadata.windows[0].toneMapping = nil
        metadata.targetedSystemDisplayMaximumLuminance = 0
        #expect(try HDR10PlusMetadata(payload: metadata.payload) == metadata)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        func refuses(_ text: String, _ edit: (inout HDR10PlusMetadata) -> Void) {
            var metadata = HDR10PlusMetadata()
            edit(&metadata)
            #expect(throws: BitstreamError(text)) { try metadata.payload }
        }
        refuses("HDR10+ metadata has maxscl 131072, and 131071 is the maximum") { $0.windows[0].maxSCL.z = 131072 }
        refuses("HDR10+ metadata has application_version 2, and 1 is the maximum") { $0.applicationVersion = 2 }
        refuses("HDR10+ metadata has fraction_bright_pixels 1024, and 1023 is the maximum") {
            $0.windows[0].fractionBrightPixels = 1024
        }
        refuses("HDR10+ metadata has num_bezier_curve_anchors 16, and 15 is the maximum") {
            $0.windows[0].toneMapping = .init(kneePoint: SIMD2(), bezierCurveAnchors: Array(repeating: 0, count: 16))
        }
        refuses("HDR10+ metadata has 0 windows, and there can be 1 to 3") { $0.windows = [] }
        refuses("window 1 of HDR10+ metadata has no region: only the first one has none") {
            $0.windows.append(.init())
        }
        refuses("the first window of HDR10+ metadata is the whole picture and has no region") {
            $0.windows[0].region = .init()
        }
        refuses("a row of actual_peak_luminance in HDR10+ metadata has 1 values, not 2") {
            $0.masteringDisplayActualPeakLuminance = .init(rows: [[1, 2], [3]])
        }
    }

    // MARK: Findings

    @Test func wellFormedMetadataHaveNoFindings() throws {
        var metadata = try HDR10PlusMetadata(payload: HDR10PlusFixture.mapped)
        metadata.windows[0].averageMaxRGB = 5000
        #expect(metadata.findings.isEmpty)
        metadata.windows[0].toneMapping = nil
        #expect(metadata.findings == ["a display of 500 cd/m² is targeted without a tone curve"])
        #expect(metadata.profile == nil)
        metadata.targetedSystemDisplayMaximumLuminance = 0
        #expect(metadata.findings.isEmpty && metadata.profile == .a)
    }

    @Test func findingsNameTheField() throws {
        let metadata = try HDR10PlusMetadata(payload: HDR10PlusFixture.everything)
        let found = metadata.findings
        #expect(
            found.contains(
                "mastering display's actual_peak_luminance has 0 rows of 5, and 2 to 25 of either are allowed"))
        #expect(found.contains("window 1: bezier_curve_anchors fall, so that the curve may turn light around"))
        #expect(found.contains("data that no field explains follow the last one"))
        var first = metadata
        first.applicationVersion = 1
        #expect(first.findings.contains("there are 3 windows, and profiles of HDR10+ have one"))
        #expect(first.findings.contains("there is color_saturation_weight, which profiles of HDR10+ do not have"))
    }

    // MARK: The tone curve

    @Test func curvesGoThroughTheirEnds() throws {
        let curve = HDR10PlusToneCurve(
            .init(kneePoint: SIMD2(819, 1638), bezierCurveAnchors: (1...9).map { UInt16(1023 * $0 / 10) }))
        #expect(abs(curve.kneeX - 0.2) < 1e-12 && abs(curve.kneeY - 0.4) < 1e-12)
        #expect(curve.value(at: 0) == 0 && curve.value(at: -1) == 0 && curve.value(at: .nan) == 0)
        #expect(abs(curve.value(at: 0.1) - 0.2) < 1e-12 && abs(curve.value(at: 0.2) - 0.4) < 1e-12)
        #expect(abs(curve.value(at: 1) - 1) < 1e-12 && curve.value(at: 7) == curve.value(at: 1))
        // Anchors on a line make a line, but for their rounding.
        #expect(abs(curve.value(at: 0.6) - 0.7) < 1e-3)
    }

    @Test func coefficientsMakeTheSameCurve() {
        for count in 0...15 {
            let anchors = (0..<count).map { UInt16(min(1023, 300 + 97 * $0)) }
            let curve = HDR10PlusToneCurve(.init(kneePoint: SIMD2(), bezierCurveAnchors: anchors))
            #expect(curve.coefficients.count == count + 2)
            for step in 0...20 {
                let t = Double(step) / 20
                let sum = curve.coefficients.reversed().reduce(0) { $0 * t + $1 }
                #expect(abs(sum - curve.value(at: t)) < 1e-9)
            }
        }
        // Quadratic: 2t(1-t)p + t².
        let curve = HDR10PlusToneCurve(.init(kneePoint: SIMD2(), bezierCurveAnchors: [1023]))
        #expect(curve.coefficients == [0, 2, -1] && abs(curve.value(at: 0.5) - 0.75) < 1e-12)
    }

    @Test func kneesAtTheEnds() {
        let all = HDR10PlusToneCurve(.init(kneePoint: SIMD2(4095, 2048), bezierCurveAnchors: [512]))
        #expect(abs(all.value(at: 0.5) - 1024 / 4095) < 1e-12 && abs(all.value(at: 1) - 2048 / 4095) < 1e-12)
        let none = HDR10PlusToneCurve(.init(kneePoint: SIMD2(0, 0), bezierCurveAnchors: []))
        #expect(none.value(at: 0) == 0 && none.value(at: 0.25) == 0.25)
    }
}
