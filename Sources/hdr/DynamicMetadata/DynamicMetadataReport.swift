import HDRBitstream
import HDRInspection
import HDRJSON
import HDRPipeline

/// A video's dynamic metadata by shot, for people and for machines.
struct DynamicMetadataReport: Sendable {
    let shots: DynamicMetadataShots
    /// When each picture is shown, in ns.
    let times: [UInt64]

    init(shots: DynamicMetadataShots, times: [UInt64]) { (self.shots, self.times) = (shots, times) }

    /// Reads a whole video.
    init(_ input: FileName, _ progress: ProgressLine) async throws {
        let track = try await MetadataTrack(input, MetadataTrack.Kind.allCases, progress)
        var shots = DynamicMetadataShots()
        var sequence: DolbyVisionRPU.SequenceInfo?
        for (index, picture) in track.shown.enumerated() {
            do {
                let rpu = try picture.rpu.map { piece throws(BitstreamError) in
                    try DolbyVisionRPU(nalUnit: piece, sequence: sequence)
                }
                sequence = rpu?.header.sequence ?? sequence
                shots.add(
                    rpu,
                    try picture.hdr10Plus.map { payload throws(BitstreamError) in
                        try HDR10PlusMetadata(payload: payload)
                    })
            } catch {
                throw Failure("\(input.shown): picture \(index): \(error.message)")
            }
        }
        self.init(shots: shots, times: track.times)
    }

    var isEmpty: Bool { shots.dolbyVisionCount == 0 && shots.hdr10PlusCount == 0 }

    // MARK: For people

    /// Lines of a table: what all shots have in common, then a line for each shot, and below it what is its own.
    var lines: [String] {
        guard !isEmpty else { return ["none in \(shots.lights.count) pictures"] }
        let list = shots.shots
        let common = (list.first?.blocks ?? []).filter { block in
            list.allSatisfy { shot in
                shot.blocks.filter { $0.level == block.level }
                    == (list.first?.blocks ?? []).filter {
                        $0.level == block.level
                    }
            }
        }
        let commonLevels = Set(common.map(\.level))
        var lines = [summary(list.count)]
        lines += common.map { "  L\($0.level) \($0.text)" }
        let hasLight = (shots.lights.contains { $0.level1 != nil }, shots.lights.contains { $0.maxSCL != nil })
        var titles = ["shot", "begins", "pictures"]
        if hasLight.0 { titles += ["L1 maximum", "(PQ)", "average", "(PQ)", "minimum", "(PQ)"] }
        if hasLight.1 { titles += ["MaxSCL", "average"] }
        var table = Table(titles, leftColumns: 0)
        for (index, shot) in list.enumerated() {
            let start = times.indices.contains(shot.pictures.lowerBound) ? times[shot.pictures.lowerBound] : 0
            var cells = ["\(index + 1)", Time.exact(start), "\(shot.pictures.count)"]
            if hasLight.0 {
                for code in [shot.level1?.maximumPQ, shot.level1?.averagePQ, shot.level1?.minimumPQ] {
                    cells += [code.map(RPUSummary.light) ?? "-", code.map { "\($0)" } ?? "-"]
                }
            }
            if hasLight.1 {
                cells += [shot.maxSCL, shot.averageMaxRGB].map { $0.map { (Double($0) / 10).fixed(1) } ?? "-" }
            }
            table.add(cells)
        }
        let rows = table.lines
        lines.append("  " + (rows.first ?? ""))
        for (shot, row) in zip(list, rows.dropFirst()) {
            lines.append("  " + row)
            lines += Self.limited(
                shot.blocks.filter { !commonLevels.contains($0.level) }.map { "L\($0.level) \($0.text)" }
            ).map { "          " + $0 }
            if let curve = shot.hdr10Plus.flatMap(Self.curve) { lines.append("          HDR10+ \(curve)") }
        }
        return lines
    }

    private func summary(_ count: Int) -> String {
        let pictures = shots.lights.count
        var parts: [String] = []
        if shots.dolbyVisionCount > 0 { parts.append("Dolby Vision in \(shots.dolbyVisionCount)") }
        if shots.hdr10PlusCount > 0 { parts.append("HDR10+ in \(shots.hdr10PlusCount)") }
        let how =
            switch shots.cuts.kind {
            case .flag: "by scene_refresh_flag"
            case .runs: "by what stays the same"
            case .jumps: "by jumps of the average"
            }
        return "\(parts.joined(separator: ", ")) of \(pictures) pictures; \(count) shot\(count == 1 ? "" : "s") \(how)"
    }

    /// A level that changes with each picture would fill the screen.
    private static func limited(_ texts: [String]) -> [String] {
        texts.count <= 12 ? texts : texts.prefix(11) + ["and \(texts.count - 11) more"]
    }

    private static func curve(_ metadata: HDR10PlusMetadata) -> String? {
        guard let window = metadata.windows.first, let curve = window.toneMapping else { return nil }
        return "curve for \(metadata.targetedSystemDisplayMaximumLuminance) cd/m²: knee \(curve.kneePoint.x), "
            + "\(curve.kneePoint.y), anchors \(curve.bezierCurveAnchors.map { "\($0)" }.joined(separator: " "))"
    }

    // MARK: For machines

    var json: JSON {
        guard !isEmpty else { return .null }
        let list = shots.shots
        return .object([
            ("pictures", .integer(shots.lights.count)),
            ("pictures-with-dolby-vision", .integer(shots.dolbyVisionCount)),
            ("pictures-with-hdr10-plus", .integer(shots.hdr10PlusCount)),
            ("shots-by", .string(shots.cuts.kind.rawValue)),
            ("shots", .array(list.map(json))),
        ])
    }

    private func json(_ shot: DynamicMetadataShots.Shot) -> JSON {
        let start = times.indices.contains(shot.pictures.lowerBound) ? times[shot.pictures.lowerBound] : 0
        return .object([
            ("first-picture", .integer(shot.pictures.lowerBound)), ("pictures", .integer(shot.pictures.count)),
            ("seconds", .decimal(Double(start) / 1e9)),
            (
                "level1",
                .optional(shot.level1) { light in
                    .object(
                        [
                            ("minimum", light.minimumPQ), ("maximum", light.maximumPQ), ("average", light.averagePQ),
                        ].flatMap { name, code in
                            [
                                ("\(name)-pq", JSON.integer(code)),
                                ("\(name)-cd-m2", .decimal(DolbyVisionLight.candelas(code))),
                            ]
                        })
                }
            ),
            ("levels", .array(shot.blocks.map(\.json))),
            (
                "hdr10-plus",
                .optional(shot.hdr10Plus) { metadata in
                    .object([
                        ("maxscl-cd-m2", .optional(shot.maxSCL) { .decimal(Double($0) / 10) }),
                        ("average-maxrgb-cd-m2", .optional(shot.averageMaxRGB) { .decimal(Double($0) / 10) }),
                        (
                            "first-picture",
                            HDR10PlusDocument(frames: [metadata], tool: "", toolVersion: "").json["SceneInfo"]?
                                .array?.first ?? .null
                        ),
                    ])
                }
            ),
        ])
    }

    // MARK: As a picture

    /// Light over time.
    func plot(title: String) -> LightPlot {
        var series: [LightPlot.Series] = []
        func add(
            _ name: String, _ color: [UInt8], isFilled: Bool = false,
            _ value: (DynamicMetadataShots.Light) -> Double?
        ) {
            let values = shots.lights.map(value)
            if values.contains(where: { $0 != nil }) {
                series.append(.init(name: name, color: color, isFilled: isFilled, values: values))
            }
        }
        func candelas(_ code: UInt16?) -> Double? { code.map(DolbyVisionLight.candelas) }
        add("L1 average", [46, 92, 140], isFilled: true) { candelas($0.level1?.averagePQ) }
        let isAlone = shots.dolbyVisionCount == 0
        add("average MaxRGB", isAlone ? [52, 104, 72] : [120, 200, 140], isFilled: isAlone) {
            $0.averageMaxRGB.map { Double($0) / 10 }
        }
        add("L1 minimum", [150, 150, 160]) { candelas($0.level1?.minimumPQ) }
        add("L1 maximum", [235, 90, 70]) { candelas($0.level1?.maximumPQ) }
        add("MaxSCL", [240, 200, 90]) { $0.maxSCL.map { Double($0) / 10 } }
        let cuts = shots.cuts.starts.dropFirst().compactMap { times.indices.contains($0) ? times[$0] : nil }
        return LightPlot(title: title, times: times, series: series, cuts: cuts, showsCodes: true)
    }
}
