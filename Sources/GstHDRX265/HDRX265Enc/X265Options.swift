import HDRMetadata

/// The property `option-string`: options of libx265 by their names on its command line, `key=value` with colons between
/// them.
enum X265Options {
    struct Option: Equatable {
        var name: String
        /// The value; `nil` for an option without one, such as `no-sao`.
        var value: String?
    }

    /// Splits the text. A numeric part belongs to the value before it, as in `deblock=-1:-1`.
    static func parse(_ text: String) -> [Option] {
        var options: [Option] = []
        for part in text.split(separator: ":") {
            let pieces = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let first = pieces.first.map(trimmed) ?? ""
            if pieces.count == 1, isNumber(first), let last = options.last, let value = last.value {
                options[options.count - 1].value = "\(value):\(first)"
                continue
            }
            // libx265 accepts either spelling.
            var name = String(first.map { $0 == "_" ? "-" : $0 })
            while name.hasPrefix("-") { name.removeFirst() }
            if name.isEmpty && pieces.count == 1 { continue }
            options.append(Option(name: name, value: pieces.count > 1 ? trimmed(pieces[1]) : nil))
        }
        return options
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\n" }
        var rest = text.drop(while: isSpace)
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        return String(rest)
    }

    private static func isNumber(_ text: String) -> Bool { !text.isEmpty && Double(text) != nil }

    /// Sets all options.
    /// - Returns: the profile that was requested.
    static func apply(_ text: String, to parameters: X265Parameters) throws(X265Parameters.Failure) -> String? {
        var profile: String?
        for option in parse(text) {
            if let instead = elsewhere[option.name] {
                throw X265Parameters.Failure("option-string: \(option.name) is not an option here: \(instead).")
            }
            if option.name == "profile" {
                profile = option.value
                continue
            }
            if let remedy = remedy(option) {
                let start = option.value.map { "\($0) is no value of the option \(option.name)" }
                throw X265Parameters.Failure(
                    "option-string: \(start ?? "the option \(option.name) needs a value"): \(remedy).")
            }
            switch parameters.parse(option.name, option.value) {
            case .taken: break
            case .unknownName:
                let near = NearMatches.of(option.name, in: names)
                let advice = near.isEmpty ? "" : " Did you mean \(near.joined(separator: " or "))?"
                throw X265Parameters.Failure("option-string: this libx265 has no option \(option.name).\(advice)")
            case .badValue:
                throw X265Parameters.Failure(
                    option.value.map { "option-string: \($0) is no value of the option \(option.name)." }
                        ?? "option-string: the option \(option.name) needs a value, \(option.name)=VALUE.")
            }
        }
        return profile
    }

    /// The options of the x265 command line that are properties of this element.
    static let elsewhere = [
        "preset": "set the property speed-preset", "tune": "set the property tune",
        "input-res": "the caps have the size", "fps": "the caps have the frame rate",
        "input-csp": "the caps have the format",
        "input-depth": "the caps have the format", "output-depth": "the caps have the format",
        "output": "the element after this one writes the file", "input": "the elements before this one read the file",
        "annexb": "the stream is always a byte stream", "copy-pic": "pictures are always copied",
        "ctu-info": "it needs another program interface",
        "zonefile": "only the program x265 reads it; zones=START,END,q=QUANTIZER/… sets quantizers of parts",
    ]

    /// The options that choose the tier; the last one always uses the high tier.
    static let tierNames = ["high-tier", "no-high-tier", "uhd-bd"]

    /// The options of version 3.5, for suggestions.
    static let names = """
        allow-non-conformance amp analysis-load analysis-load-reuse-level analysis-reuse-file analysis-reuse-level
        analysis-save analysis-save-reuse-level analyze-src-pics aq-mode aq-motion aq-strength asm atc-sei aud b-adapt
        b-intra b-pyramid bframe-bias bframes bitrate cbqpoffs chromaloc chunk-end chunk-start cll colormatrix
        colorprim const-vbv constrained-intra crf crf-max crf-min crqpoffs csv csv-log-level ctu cu-lossless cutree
        deblock display-window dolby-vision-profile dup-threshold dynamic-rd dynamic-refine early-skip fades
        fast-intra field force-flush frame-dup frame-threads gop-lookahead hash hdr-opt hdr10 hdr10-opt hevc-aq
        high-tier hist-scenecut hist-threshold hme hme-range hme-search hrd idr-recovery-sei info interlace
        intra-refresh ipratio keyint lambda-file level-idc limit-modes limit-refs limit-sao limit-tu log-level
        log2-max-poc-lsb lookahead-slices lookahead-threads lossless lowpass-dct masking-strength master-display
        max-ausize-factor max-cll max-luma max-merge max-tu-size max-vbv-fullness me merange min-cu-size min-keyint
        min-luma min-vbv-fullness multi-pass-opt-analysis multi-pass-opt-distortion multi-pass-opt-rps nalu-file
        nr-inter nr-intra open-gop opt-cu-delta-qp opt-qp-pps opt-ref-list-length-pps overscan pass pbratio pic-struct
        pme pmode pools profile psnr psy-rd psy-rdoq qcomp qg-size qp qp-adaptation-range qpmax qpmin qpstep radl
        range rc-grain rc-lookahead rd rd-refine rdoq-level rdpenalty rect ref refine-analysis-type
        refine-ctu-distortion refine-inter refine-intra refine-mv repeat-headers rskip rskip-edge-threshold sao
        sao-non-deblock sar scale-factor scaling-list scenecut scenecut-aware-qp scenecut-bias selective-sao signhide
        slices slow-firstpass splitrd-skip ssim ssim-rd stats strict-cbr strong-intra-smoothing subme temporal-layers
        temporal-mvp transfer tskip tskip-fast tu-inter-depth tu-intra-depth uhd-bd vbv-bufsize vbv-end vbv-end-fr-adj
        vbv-init vbv-live-multi-pass vbv-maxrate videoformat vui-hrd-info vui-timing-info weightb weightp wpp zones
        """.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
}
