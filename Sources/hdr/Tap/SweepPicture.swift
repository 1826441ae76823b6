import Glibc
import HDRMetadata
import HDRPipeline
import HDRSpectrogram
import HDRStills

/// The picture of what effects do to sound: its spectrograms before and after.
struct SweepPicture {
    /// The axis shows at least what people hear, in Hz.
    private static let audible = 20.0...20_000.0

    private let low: Double
    private let high: Double

    /// - Parameter curve: the curve of a sweep, which the axis shows as a whole.
    init(_ curve: SweepCurve?) {
        let ends = [curve?.start, curve?.end].compactMap { $0 }
        low = ([Self.audible.lowerBound] + ends).min() ?? Self.audible.lowerBound
        high = ([Self.audible.upperBound] + ends).max() ?? Self.audible.upperBound
    }

    /// The frequencies between the rows, in Hz.
    var edges: [Double] { SpectrogramPicture.edges(low: low, high: high) }

    /// Draws what has passed.
    func write(_ run: TapRun, of sound: SoundFile, _ settings: TapSettings, to file: OutputFile) throws {
        guard let (before, after) = run.spectrograms else { return }
        let seconds = Double(sound.time(of: run.frames)) / 1e9
        let name = sound.file.last.shown
        var title = "\(sound.isMade ? sound.name : name): \(settings.effects.names.joined(separator: ", "))"
        var line: (start: Double, end: Double, name: String)?
        var shown = seconds
        if let curve = run.curve, let sweep = settings.sweep {
            title =
                "\(sound.isMade ? sound.name : name): band-pass of \(sweep.bandwidth.plain) cents, "
                + "\(curve.start.plain) Hz to \(curve.end.plain) Hz"
            shown = min(curve.seconds, seconds)
            line = (curve.center(at: 0), curve.center(at: shown), "the band's centre")
        }
        var picture = SpectrogramPicture(low: low, high: high, duration: shown)
        picture.draw(title: title, before: before, after: after, line: line)
        try LabelWriter().write(picture.labels, on: &picture)
        try Self.write(picture.canvas, to: file)
    }

    private static func write(_ canvas: Canvas, to file: OutputFile) throws {
        var bytes: [UInt8] = []
        try canvas.pixels.withUnsafeBytes { pixels in
            let image = try StillImage(
                pixels: pixels, layout: .rgb8, width: canvas.width, height: canvas.height, stride: 3 * canvas.width,
                // sRGB: H.273 has its transfer as 13.
                color: ColorDescription(primaries: 1, transfer: 13, matrix: 0, isFullRange: true))
            try PNGWriter.write(image) { (part, _) throws(StillError) in bytes += part }
        }
        let descriptor = file.path.withPointer { open($0, O_WRONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw failure(file) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(file) }
            rest = rest.dropFirst(count)
        }
    }

    private static func failure(_ file: OutputFile) -> Failure {
        Failure("cannot write \(file.name.shown): \(String(cString: strerror(errno)))")
    }
}
