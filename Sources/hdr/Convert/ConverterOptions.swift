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
                    tone curve that compresses highlights into the target's range: auto (default), none, clip,
                    bt2390, bt2446a, bt2446c, spline, reinhard, hable, mobius, reference-white;
                    gst-inspect-1.0 hdrconvert describes them
                    """, choices: ["auto"] + ToneCurve.choices.map(\.name)), "tone-mapping"
        ),
        (
            .value(
                "--domain", "DOMAIN",
                help: "quantity that the tone curve acts on: max-rgb (default), luminance, rgb, ictcp",
                choices: ["max-rgb", "luminance", "rgb", "ictcp"]),
            "tone-mapping-domain"
        ),
        (
            .value(
                "--gamut-mapping", "METHOD",
                help: """
                    how colours outside the target's gamut are brought into it: auto (default: perceptual from HDR
                    to SDR, else clip), clip, softclip, desaturate, perceptual
                    """, choices: ["auto", "clip", "softclip", "desaturate", "perceptual"]), "gamut-mapping"
        ),
        (
            .value(
                "--peak-detection", "MODE",
                help: "the source's peak: auto (default): measured for each scene; off: one, from metadata",
                choices: ["auto", "off"]),
            "peak-detection"
        ),
        (
            .value(
                "--inverse-tone-mapping", "CURVE",
                help: """
                    how SDR is expanded for HLG and PQ: none (default: SDR white at reference white), bt2446a, bt2446c,
                    spline, auto (highlights only)
                    """,
                choices: ["none", "bt2446a", "bt2446c", "spline", "auto"]),
            "inverse-tone-mapping"
        ),
        (
            .value(
                "--contrast-recovery", "STRENGTH",
                help: """
                    how much local contrast that tone mapping flattens is restored: 0 (none) to 1; -1 (default): 0.35,
                    and 0 where a tone curve is named
                    """),
            "contrast-recovery"
        ),
        (
            .value(
                "--reference-white", "NITS",
                help: "luminance of SDR white in HDR, in cd/m2: 1 to 10000 (default 203, as in BT.2408)"),
            "reference-white"
        ),
        (
            .value(
                "--source-peak", "NITS",
                help: "peak luminance of an HDR source, in cd/m2, up to 10000; default: see --peak-detection"),
            "source-peak"
        ),
        (
            .value(
                "--dither", "METHOD",
                help: "pattern that hides banding where bits are lost: none, ordered (default), blue-noise",
                choices: ["none", "ordered", "blue-noise"]),
            "dither"
        ),
        (
            .value(
                "--quality", "QUALITY", help: "accuracy against speed: fast, balanced (default) or reference (slow)",
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
