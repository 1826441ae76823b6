import HDRContainer
import HDRInspection
import HDRMetadata

/// A file as a table for people.
struct TableReport {
    private(set) var text = ""
    private let style: Style

    init(_ report: MediaReport, _ style: Style) {
        self.style = style
        let ranges = report.pictures.map(\.signal.dynamicRange.name)
        let verdict = report.containsHDRVideo ? style.good("HDR") + ", " : ""
        add("\(style.bold(Output.printable(report.name))): \(verdict)\(ranges.joined(separator: " / "))")
        var parts = [Output.printable(report.container), Self.size(report.size)]
        if let duration = report.duration { parts.append(Self.time(duration)) }
        row("container", parts.joined(separator: ", "))
        for video in report.videos { add(video) }
        if let dynamic = report.dynamicMetadata {
            for (index, line) in dynamic.lines.enumerated() {
                row(index == 0 ? "dynamic metadata" : "", line)
            }
        }
        for audio in report.audios { row("audio \(audio.index + 1)", Self.line(audio)) }
        for finding in report.findings { add(finding) }
    }

    private mutating func add(_ line: String) {
        var line = line
        while line.last == " " { line.removeLast() }
        text += line + "\n"
    }

    private mutating func row(_ name: String, _ value: String) {
        add("  \(style.dim(Table.padded(name, Self.nameWidth))) \(value)")
    }

    private static let nameWidth = 18

    private mutating func add(_ video: VideoReport) {
        row("video \(video.index + 1)", Output.printable(Self.line(video)))
        var sampling: [String] = []
        if let depth = video.bitDepth { sampling.append("\(depth)-bit") }
        if let chroma = video.chromaFormat { sampling.append(chroma) }
        var line = sampling.joined(separator: " ")
        if let location = video.signal.color.chromaLocationName {
            line += ", chroma \(location)"
        } else if video.chromaFormat == "4:2:0" {
            line += ", chroma left by default"
        }
        if !line.isEmpty { row("  sampling", line) }
        let signal = video.signal
        let range = video.isEnhancementLayer ? "Dolby Vision enhancement layer" : signal.dynamicRange.name
        row("  dynamic range", style.bold(range))
        compare(signal)
        for line in Self.dynamic(signal) { row(line.name, line.value) }
        for finding in video.findings { add(finding) }
    }

    /// Container, bitstream and effective values, side by side.
    private mutating func compare(_ signal: SignalReport) {
        let (container, bitstream) = (signal.container, signal.bitstream)
        let colors = [container?.color, bitstream?.color, signal.color]
        let displays = [container?.masteringDisplay, bitstream?.masteringDisplay, signal.masteringDisplay]
        let levels = [container?.contentLightLevel, bitstream?.contentLightLevel, signal.contentLightLevel]
        let ambients = [container?.ambientViewing, bitstream?.ambientViewing, signal.ambientViewing]
        var rows: [(String, [String?])] = [
            ("primaries", colors.map { $0.map { "\($0.primariesName) (\($0.primaries))" } }),
            ("transfer", colors.map { $0.map { "\($0.transferName) (\($0.transfer))" } }),
            ("matrix", colors.map { $0.map { "\($0.matrixName) (\($0.matrix))" } }),
            ("range", colors.map { $0?.isFullRange.map { $0 ? "full" : "limited" } }),
            ("mastering", displays.map { $0.map { $0.gamutName ?? "other primaries" } }),
            ("", displays.map { $0?.luminanceText }),
        ]
        // Primaries without a name are shown by their coordinates.
        for (name, path) in [
            ("red", \MasteringDisplay.red), ("green", \.green), ("blue", \.blue), ("white", \.white),
        ] where displays.contains(where: { $0 != nil && $0?.gamutName == nil }) {
            rows.append(("  \(name)", displays.map { $0.map { Self.point($0[keyPath: path]) } }))
        }
        rows += [
            ("light level", levels.map { $0.map { "MaxCLL \($0.maximum), MaxFALL \($0.frameAverage)" } }),
            ("ambient viewing", ambients.map { $0.map { "\($0.illuminanceText), \(Self.point($0.light))" } }),
        ]
        let shown = rows.filter { $0.1.contains { $0 != nil } }
        var table = Table(["container", "bitstream", "effective"], leftColumns: 3, gap: "   ")
        for (_, cells) in shown { table.add(cells.map { $0 ?? "-" }) }
        let lines = table.lines
        row("", style.dim(lines[0]))
        for ((name, _), line) in zip(shown, lines.dropFirst()) { row("  " + name, line) }
    }

    private static func dynamic(_ signal: SignalReport) -> [(name: String, value: String)] {
        var lines: [(name: String, value: String)] = []
        let frames = signal.frames
        func counted(_ count: Int) -> String { "in \(count) of the first \(frames.read) frames" }
        if let vision = signal.dolbyVision {
            var parts = ["profile \(vision.name)"]
            if let level = vision.level { parts.append("level \(level)") }
            parts.append(
                signal.dynamicRange.base == .none
                    ? "no base layer for others" : "\(signal.dynamicRange.base.rawValue) base")
            if signal.hasEnhancementLayer { parts.append("with an enhancement layer") }
            if frames.read > 0, signal.bitstream != nil { parts.append("RPU " + counted(frames.dolbyVision)) }
            lines.append(("  Dolby Vision", parts.joined(separator: ", ")))
        }
        if frames.hdr10Plus > 0 { lines.append(("  HDR10+", counted(frames.hdr10Plus))) }
        if frames.st209450 > 0 {
            let said = signal.bitstream?.st209450.map { ": \($0.summary)" } ?? ", which cannot be read"
            lines.append(("  ST 2094-50", counted(frames.st209450) + said))
        }
        return lines
    }

    private mutating func add(_ finding: SignalFinding) {
        let mark =
            switch finding.kind {
            case .disagreement, .defect: style.bad(Table.padded(finding.kind.rawValue, 12))
            case .missing: style.warning(Table.padded(finding.kind.rawValue, 12))
            case .note: style.dim(Table.padded(finding.kind.rawValue, 12))
            }
        add("  ! \(mark)     \(Output.printable(finding.text))")
    }

    private static func line(_ video: VideoReport) -> String {
        var parts: [String] = []
        var codec = video.codec
        if let profile = video.profile { codec += " \(profile)" }
        if let level = video.level { codec += " level \(level)" }
        if let tag = video.tag, tag != video.codec { codec += " (\(Output.printable(tag)))" }
        parts.append(codec)
        if let width = video.width, let height = video.height {
            var size = "\(width)x\(height)"
            if video.pixelAspect.horizontal != video.pixelAspect.vertical {
                size += ", pixels \(video.pixelAspect.horizontal):\(video.pixelAspect.vertical)"
            }
            size += Self.text(video.orientation)
            if let shown = video.displaySize, shown != (width, height) {
                size += " (shown as \(shown.width)x\(shown.height))"
            }
            parts.append(size)
        }
        if let rate = video.frameRate {
            let text = video.hasConstantRate == false ? "\(rate.text) fps on average" : "\(rate.text) fps"
            parts.append(rate.numerator > 0 ? text : "variable frame rate")
        }
        if video.isEnabled == false { parts.append("disabled") }
        return parts.joined(separator: ", ")
    }

    private static func text(_ orientation: PictureOrientation?) -> String {
        guard let orientation else { return ", turned or mirrored" }
        let turn = orientation.rotation == 0 ? "" : "turned by \(orientation.rotation)°"
        guard orientation.isMirrored else { return turn.isEmpty ? "" : ", " + turn }
        return turn.isEmpty ? ", mirrored" : ", mirrored, then " + turn
    }

    private static func line(_ audio: AudioReport) -> String {
        var parts = [Output.printable(audio.codec)]
        if let rate = audio.sampleRate { parts.append("\(DecimalText(rate, decimals: 3)) kHz") }
        if let channels = audio.channels {
            parts.append(channels == 1 ? "mono" : channels == 2 ? "stereo" : "\(channels) channels")
        }
        if let rate = audio.bitRate { parts.append("\((UInt64(rate) + 500) / 1000) kbit/s") }
        if let language = audio.language { parts.append(Output.printable(language)) }
        return parts.joined(separator: ", ")
    }

    private static func point(_ point: SIMD2<UInt16>) -> String {
        "\(DecimalText(UInt32(point.x) * 2, decimals: 5)), \(DecimalText(UInt32(point.y) * 2, decimals: 5))"
    }

    private static func size(_ bytes: UInt64) -> String {
        let units = ["kB", "MB", "GB", "TB"]
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes) / 1000
        var unit = 0
        while value >= 1000, unit + 1 < units.count { (value, unit) = (value / 1000, unit + 1) }
        return "\(DecimalText(Int((value * 10).rounded()), decimals: 1)) \(units[unit])"
    }

    /// Hours and minutes where there are any.
    private static func time(_ nanoseconds: UInt64) -> String {
        let milliseconds = nanoseconds / 1_000_000 + (nanoseconds % 1_000_000 >= 500_000 ? 1 : 0)
        let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
        let seconds = "\(DecimalText(milliseconds % 60_000, decimals: 3)) s"
        return (hours > 0 ? "\(hours) h " : "") + (milliseconds >= 60_000 ? "\(minutes) min " : "") + seconds
    }
}
