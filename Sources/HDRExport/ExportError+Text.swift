import HDRMetadata

extension ExportError {
    /// What is wrong, as one sentence without its full stop.
    package var message: String {
        switch self {
        case .unknownPreset(let name, _): "There is no preset \"\(name)\""
        case .unknownSpeed(let name, _): "The encoders have no speed \"\(name)\""
        case .unknownFileType(let name, _): "There is no file type \"\(name)\""
        case .unknownCodec(let name, _): "There is no codec \"\(name)\" to encode with"
        case .unknownProfile(let name, _): "There is no profile \"\(name)\""
        case .unknownInsertionMode(let name): "There is no HDR metadata insertion mode \"\(name)\""
        case .unknownKey(let key, _): "There is no setting \"\(key)\""
        case .duplicateKey(let key): "The setting \"\(key)\" is there twice"
        case .wrongType(let key, let expected, let found):
            "The setting \"\(key)\" must be of type \(expected.rawValue), not \(found)"
        case .outOfRange(let key, let value, let allowed): "The setting \"\(key)\" is \(value); it may be \(allowed)"
        case .unknownValue(let key, let value, _, _): "The setting \"\(key)\" cannot be \"\(value)\""
        case .nothingAsked: "Neither a preset nor a codec is set"
        case .incompleteColorProperties(let present, let missing):
            "color-properties has \(Self.list(present)) but not \(Self.list(missing))"
        case .mismatchedColorProperties(let color): "The color properties \(color) do not belong together"
        case .hdrNeedsTenBits(let range, let depth):
            "\(range) video in HEVC needs 10 bits; the source has \(depth) bits a component"
        case .hdrWithH264(let range): "H.264 cannot be exported as \(range)"
        case .wideColorNotAllowed(let color):
            "The color properties \(color) are wider than BT.709, and allow-wide-color is false"
        case .profileDepth(let profile, let range): "The profile \(profile) has 8 bits; \(range) video needs 10"
        case .profileCodec(let name, let codec): "\"\(name)\" is not a profile of \(codec.title)"
        case .level(let level, let codec, let size, let rate, _):
            "Level \(level) of \(codec.title) is too low for \(size)" + (rate.map { " at \($0) frames/s" } ?? "")
        case .frameSize(let width, let height, let reason, _):
            "The size \(width.map { "\($0)" } ?? "any")x\(height.map { "\($0)" } ?? "any") cannot be encoded: \(reason)"
        case .cleanAperture(let reason): "The clean aperture does not fit: \(reason)"
        case .proResInMP4(let codec): "\(codec.title) cannot be stored in an MP4 file"
        case .codecFileType(let codec, let type): "\(codec.title) cannot be stored in \(type.withArticle) file here"
        case .audioFileType(let codec, let type):
            "\(codec.title) audio cannot be stored in \(type.withArticle) file here"
        case .presetFileType(let preset, let type): "The preset \(preset.rawValue) makes no \(type.title) files"
        case .presetWithoutVideo(let preset): "The preset \(preset.rawValue) has no video settings"
        case .propertyForOtherCodec(let key, let codec): "\(codec.title) has no setting \"\(key)\""
        case .twoRates: "average-bit-rate and quality are both set"
        case .bFramesConflict(let reason): "b-frames does not go with the other settings: \(reason)"
        case .masteringDisplay(let text, let reason): "The mastering display \"\(text)\" is malformed: \(reason)"
        case .contentLightLevel(let text, let reason): "The content light level \"\(text)\" is malformed: \(reason)"
        case .ambientViewing(let text, let reason):
            "The ambient viewing environment \"\(text)\" is malformed: \(reason)"
        case .metadataForSDR(let key): "\(key) is set, but the output is SDR, which has no such metadata"
        case .metadataNotInserted(let key): "\(key) is set, but hdr-metadata-insertion-mode is none"
        case .passthroughReencodes(let keys): "Passthrough cannot change \(Self.list(keys)) without encoding again"
        case .passthroughNeedsCompressed: "Passthrough needs compressed video, and the source is raw"
        case .sourceNotUsable(let reason): "The source cannot be exported: \(reason)"
        case .dolbyVisionOnly(let profile):
            "The source is Dolby Vision profile \(profile), whose pictures are green and purple without its metadata, "
                + "and they came without them"
        case .dolbyVisionConverted:
            "The source is Dolby Vision profile 5, and its pictures were converted to RGB or grey before its metadata "
                + "were applied, so that they are green and purple"
        case .unknownEncoder(let name, let codec, _):
            "The encoder \"\(name)\" is none that encodes \(codec) here"
        case .missingEncoder(let codec, let refusals, _, let instead):
            Self.missing(refusals, codec, hasOther: instead != nil) ?? Self.noEncoder(codec, refusals)
        case .missingElement(let factory, _): "The element \(factory) is missing"
        }
    }

    /// What to do about it, as one or two sentences.
    package var remedy: String {
        switch self {
        case .unknownSpeed(_, let near): Self.suggest(near, of: EncoderSpeed.allCases.map(\.rawValue))
        case .unknownPreset(_, let near): Self.suggest(near, of: ExportPreset.allCases.map(\.rawValue))
        case .unknownFileType(_, let near): Self.suggest(near, of: FileType.allCases.map(\.rawValue))
        case .unknownCodec(_, let near): Self.suggest(near, of: VideoCodec.encodable.map(\.rawValue))
        case .unknownProfile(_, let near): Self.suggest(near, of: VideoProfile.settable.map(\.name))
        case .unknownInsertionMode: "Use auto or none."
        case .unknownKey(let key, let near):
            near.isEmpty ? "Remove \"\(key)\"; supported-settings lists the keys." : Self.suggest(near, of: [])
        case .duplicateKey: "Keep one of them."
        case .wrongType(let key, let expected, _): "Write it as \(key)=\(expected.example)."
        case .outOfRange: "Choose a value in that range."
        case .unknownValue(_, _, let near, let allowed):
            (near.isEmpty ? "" : Self.suggest(near, of: []) + " ") + "Use one of \(Self.choice(allowed))."
        case .nothingAsked: "Set the preset, or put codec=hvc1 into the settings."
        case .incompleteColorProperties(_, let missing):
            "Add \(Self.list(missing)), or leave all three out to keep the source's."
        case .mismatchedColorProperties(let color): color.remedy
        case .hdrNeedsTenBits:
            "Feed 10-bit video, or set color-properties to ITU_R_709_2 for all three to export SDR."
        case .hdrWithH264:
            "Use an HEVC or ProRes preset for HDR, or leave color-properties out: H.264 is then converted to SDR."
        case .wideColorNotAllowed: "Set allow-wide-color to true, or the color properties to ITU_R_709_2."
        case .profileDepth: "Use main-10, or leave profile-level out."
        case .profileCodec(_, let codec):
            VideoProfile.settable(for: codec).isEmpty
                ? "Leave profile-level out; the codec says it all."
                : "Use \(Self.choice(VideoProfile.settable(for: codec).map(\.name)))."
        case .level(_, _, _, _, let needed):
            needed.map { "Use level \($0) or leave the level out." }
                ?? "Make the picture smaller or the frame rate lower."
        case .frameSize(_, _, _, let remedy): remedy
        case .cleanAperture: "Use a width and height within the picture, and offsets that keep it inside."
        case .proResInMP4: "Set file-type to mov or matroska, or use an HEVC preset."
        case .codecFileType(let codec, _): Self.fileTypes { $0.videoCodecs.contains(codec) }
        case .audioFileType(let codec, _): Self.fileTypes { $0.audioCodecs.contains(codec) }
        case .presetFileType(let preset, _): Self.fileTypes { preset.fileTypes.contains($0) }
        case .presetWithoutVideo:
            "Remove the video settings, or use a preset that encodes video, such as hevc-highest-quality."
        case .propertyForOtherCodec(let key, _): "Remove \"\(key)\"."
        case .twoRates: "Keep one: a bit rate in bit/s, or a quality from 0 to 1."
        case .bFramesConflict: "Set b-frames to 0 or leave it out."
        case .masteringDisplay:
            "Write Rx:Ry:Gx:Gy:Bx:By:Wx:Wy:max:min in steps of 0.00002 and 0.0001 cd/m2, such as "
                + "35400:14600:8500:39850:6550:2300:15635:16450:10000000:50."
        case .contentLightLevel: "Write MaxCLL:MaxFALL in cd/m2, such as 1000:400, or auto to have them measured."
        case .ambientViewing:
            "Write illuminance:x:y in steps of 0.0001 lux and 0.00002, such as 3140000:15635:16450 for 314 lux of D65."
        case .metadataForSDR(let key): "Remove \(key), or set color-properties to HDR."
        case .metadataNotInserted(let key): "Remove \(key), or set hdr-metadata-insertion-mode to auto."
        case .passthroughReencodes(let keys): "Remove \(Self.list(keys)), or use another preset than passthrough."
        case .passthroughNeedsCompressed: "Link the demuxer or parser without a decoder, or use another preset."
        case .sourceNotUsable: "Fix the elements upstream of this pad; the reason above names what is wrong."
        case .dolbyVisionOnly:
            "Put hdrmetaparse in front of the decoder, as decodebin does, or copy the source with the preset "
                + "passthrough, without a decoder."
        case .dolbyVisionConverted: "Put hdrconvert in place of the element that converts them."
        case .unknownEncoder(_, _, let choices):
            choices.isEmpty ? "Leave encoder empty." : "Use \(Self.choice(choices)), or leave encoder empty."
        case .missingEncoder(_, let refusals, let package, let instead):
            Self.installing(refusals.map(\.factory), package)
                + (instead.map { " Or use \($0), which is installed." } ?? "")
        case .missingElement(_, let package): "On Debian: apt install \(package)."
        }
    }

    /// The message for an encoder that the user has named and that is not installed; `nil` where none was named.
    private static func missing(_ refusals: [EncoderRefusal], _ codec: String, hasOther: Bool) -> String? {
        guard refusals.count == 1, let only = refusals.first, only.reason == .missing else { return nil }
        if only.factory == EncoderOptions.own {
            return
                "The encoder \(only.factory) is missing: GStreamer finds no plugin \(EncoderOptions.ownPlugin), or not "
                + "the libx265 that it links"
        }
        return hasOther ? "The encoder \(only.factory) for \(codec) is not installed" : nil
    }

    private static func installing(_ factories: [String], _ package: String) -> String {
        let debian = "apt install \(package)."
        guard factories == [EncoderOptions.own] else { return "On Debian: \(debian)" }
        return
            "Put \(EncoderOptions.ownPlugin), which meson-wrap/build-plugin builds beside libgsthdr.so, into a folder "
            + "of GST_PLUGIN_PATH; with this project's Debian packages: \(debian)"
    }

    private static func noEncoder(_ codec: String, _ refusals: [EncoderRefusal]) -> String {
        let missing = list(refusals.filter { $0.reason == .missing }.map(\.factory))
        let others = refusals.filter { $0.reason != .missing }.map(\.description)
        if others.isEmpty { return "No encoder for \(codec) is installed; tried \(missing)" }
        let rest = others.count < refusals.count ? "; not installed: \(missing)" : ""
        return "No encoder for \(codec) can be used: \(others.joined(separator: "; "))" + rest
    }

    /// The names as "a, b and c".
    private static func list(_ names: [String]) -> String { joined(names, "and") }
    private static func choice(_ names: [String]) -> String { joined(names, "or") }

    private static func joined(_ names: [String], _ word: String) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "nothing" }
        return names.dropLast().joined(separator: ", ") + " \(word) \(last)"
    }

    private static func suggest(_ near: [String], of all: [String]) -> String {
        near.isEmpty ? "Use one of \(choice(all))." : "Did you mean \(choice(near))?"
    }

    private static func fileTypes(_ fits: (FileType) -> Bool) -> String {
        let types = FileType.allCases.filter(fits).map(\.rawValue)
        return types.isEmpty ? "Use another codec." : "Set file-type to \(choice(types))."
    }
}

extension SettingType {
    /// An example of a value in the syntax of a launch line.
    fileprivate var example: String {
        switch self {
        case .string: "(string)text"
        case .integer: "(int)1"
        case .number: "(double)0.5"
        case .boolean: "(boolean)true"
        case .fraction: "(fraction)30/1"
        case .structure: "\"name, key=value\""
        }
    }
}
