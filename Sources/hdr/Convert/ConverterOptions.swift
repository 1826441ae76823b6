import HDRColor
import HDRPipeline

/// The options of `hdr convert` that are properties of `hdrconvert`, checked against the element's own property
/// descriptions.
struct ConverterOptions {
    /// An option with its help, and the element's property.
    private static let table: [(option: Option, property: String)] = [
        (
            .value(
                "--tone-mapping", "CURVE",
                help: """
                    how highlights are brought down: auto (default), none, clip, bt2390, bt2446a, bt2446c, spline,
                    reinhard, hable, mobius, reference-white
                    """, choices: ["auto"] + ToneCurve.choices.map(\.name)), "tone-mapping"
        ),
        (
            .value(
                "--domain", "DOMAIN", help: "what the curve works on: max-rgb (default), luminance, rgb, ictcp",
                choices: ["max-rgb", "luminance", "rgb", "ictcp"]),
            "tone-mapping-domain"
        ),
        (
            .value(
                "--gamut-mapping", "METHOD",
                help: """
                    what happens to colours that the target does not have: auto (default), clip, softclip, desaturate,
                    perceptual
                    """, choices: ["auto", "clip", "softclip", "desaturate", "perceptual"]), "gamut-mapping"
        ),
        (
            .value(
                "--peak-detection", "MODE",
                help: "auto (default): each scene's own peak, as measured; off: one peak, from metadata",
                choices: ["auto", "off"]),
            "peak-detection"
        ),
        (
            .value(
                "--inverse-tone-mapping", "CURVE", help: "how SDR is brightened for HDR, as the element lists them",
                choices: ["none", "bt2446a", "bt2446c", "spline", "auto"]),
            "inverse-tone-mapping"
        ),
        (
            .value("--contrast-recovery", "STRENGTH", help: "of what tone mapping flattens, 0 (default) to 1"),
            "contrast-recovery"
        ),
        (
            .value("--reference-white", "NITS", help: "the HDR luminance that becomes SDR white (default 203)"),
            "reference-white"
        ),
        (
            .value(
                "--source-peak", "NITS", help: "the brightest of the source, instead of what its metadata says"),
            "source-peak"
        ),
        (
            .value(
                "--dither", "METHOD", help: "as the element lists them", choices: ["none", "ordered", "blue-noise"]),
            "dither"
        ),
        (
            .value(
                "--quality", "QUALITY", help: "fast, balanced (default) or reference",
                choices: ["fast", "balanced", "reference"]), "quality"
        ),
    ]

    static var options: [Option] { table.map(\.option) }

    private let values: [(property: String, text: String)]

    /// - Throws: where the element does not accept a value.
    init(_ options: Options) throws {
        values = Self.table.compactMap { entry in
            options.value(entry.option.names[0]).map { (entry.property, $0) }
        }
        let element = try Element(make: "hdrconvert")
        for entry in Self.table {
            let name = entry.option.names[0]
            guard let text = options.value(name) else { continue }
            do {
                try element.set(entry.property, to: text)
            } catch {
                let choices = element.choices(of: entry.property)
                throw choices.isEmpty
                    ? UsageError(
                        "\(name) cannot be \(text): \(element.range(of: entry.property) ?? "a number is wanted")")
                    : UsageError(no: "value of \(name)", called: text, among: choices)
            }
        }
    }

    func make() throws -> Element {
        let element = try Element(make: "hdrconvert")
        for (property, text) in values { try element.set(property, to: text) }
        return element
    }
}
