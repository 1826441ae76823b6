import HDRMetadata

/// A clean aperture: the part of the encoded picture that is meant to be seen. ISO/IEC 14496-12 `clap`.
package struct CleanAperture: Equatable, Sendable {
    /// The size in encoded pixels.
    package var width: Int
    package var height: Int
    /// The offset from the center of the picture to the center of the aperture, to the right and down, in pixels.
    package var horizontalOffset: Int
    package var verticalOffset: Int

    package init(width: Int, height: Int, horizontalOffset: Int = 0, verticalOffset: Int = 0) {
        self.width = width
        self.height = height
        self.horizontalOffset = horizontalOffset
        self.verticalOffset = verticalOffset
    }

    static let schema: [SettingDescription] = [
        SettingDescription("width", .integer, "Pixels", range: 1...16384),
        SettingDescription("height", .integer, "Pixels", range: 1...16384),
        SettingDescription(
            "horizontal-offset", .integer, "Pixels from center to center, to the right", range: -8192...8192),
        SettingDescription("vertical-offset", .integer, "Pixels from center to center, down", range: -8192...8192),
    ]

    init(_ settings: [Setting], path: String) throws(ExportError) {
        let reader = try SettingReader(settings, schema: Self.schema, path: path)
        guard let width = reader.integer("width"), let height = reader.integer("height") else {
            throw .cleanAperture("width and height must both be there")
        }
        self.init(
            width: width, height: height, horizontalOffset: reader.integer("horizontal-offset") ?? 0,
            verticalOffset: reader.integer("vertical-offset") ?? 0)
    }

    var settings: [Setting] {
        [
            Setting("width", .int(width)), Setting("height", .int(height)),
            Setting("horizontal-offset", .int(horizontalOffset)), Setting("vertical-offset", .int(verticalOffset)),
        ]
    }

    func check(within size: FrameSize) throws(ExportError) {
        func fits(_ length: Int, _ offset: Int, _ side: Int) -> Bool {
            // Doubled distances keep odd lengths exact; the ranges are checked first, so that nothing overflows.
            guard (1...side).contains(length), (-side...side).contains(offset) else { return false }
            return length + 2 * abs(offset) <= side
        }
        if !fits(width, horizontalOffset, size.width) || !fits(height, verticalOffset, size.height) {
            throw .cleanAperture(
                "\(width)x\(height) at \(horizontalOffset), \(verticalOffset) is not inside the picture of \(size)")
        }
    }
}

/// The settings of a video track under AVFoundation's names (AVVideoSettings). A `nil` value comes from the preset or
/// the source.
package struct VideoSettings: Equatable, Sendable {
    package var codec: VideoCodec?
    /// The size of the encoded picture, in pixels, before any rotation by the player. If one side is `nil`, it follows
    /// from the aspect ratio.
    package var width: Int?
    package var height: Int?
    package var scalingMode: ScalingMode?
    package var pixelAspectRatio: Fraction?
    package var cleanAperture: CleanAperture?
    package var color: ColorProperties?
    /// Whether colors wider than BT.709 are kept; `false` converts them to BT.709.
    package var allowWideColor: Bool?
    /// The frames per second; frames are dropped and repeated where the source's rate differs. `nil` for the source's.
    package var frameRate: Fraction?
    package var compression: CompressionProperties

    package init() { compression = CompressionProperties() }

    package var isEmpty: Bool { self == VideoSettings() }

    static let schema: [SettingDescription] = [
        SettingDescription(
            "codec", .string, "Codec, as a name or Apple's four-character code",
            values: VideoCodec.encodable.map(\.rawValue) + VideoCodec.encodable.map(\.fourCharacterCode)),
        SettingDescription("width", .integer, "Width of the encoded picture in pixels, even"),
        SettingDescription("height", .integer, "Height of the encoded picture in pixels, even"),
        SettingDescription(
            "scaling-mode", .string,
            "fit: within the size, never enlarged; resize: exactly that size; resize-aspect: with borders; "
                + "resize-aspect-fill: cropped",
            values: ScalingMode.allCases.map(\.rawValue)),
        SettingDescription("pixel-aspect-ratio", .fraction, "Width to height of an encoded pixel"),
        SettingDescription(
            "clean-aperture", .structure, "The part of the picture that is meant to be seen",
            children: CleanAperture.schema),
        SettingDescription(
            "color-properties", .structure, "All three, or none to keep the source's",
            children: ColorProperties.schema),
        SettingDescription(
            "allow-wide-color", .boolean, "false: colors wider than BT.709 are converted to it, HDR too"),
        SettingDescription(
            "compression-properties", .structure, "Encoder settings and HDR metadata",
            children: CompressionProperties.schema),
        SettingDescription(
            "frame-rate", .fraction, "Frames per second, reached by dropping and repeating frames at exact times"),
        CompressionProperties.profileLevel,
    ]

    /// Reads a settings dictionary.
    package init(_ settings: [Setting]) throws(ExportError) {
        let reader = try SettingReader(settings, schema: Self.schema)
        if let name = reader.string("codec") { codec = try VideoCodec(named: name) }
        width = reader.integer("width")
        height = reader.integer("height")
        scalingMode = try reader.choice("scaling-mode", of: ScalingMode.allCases.map { ($0.rawValue, $0) })
        pixelAspectRatio = try reader.pixelAspectRatio("pixel-aspect-ratio")
        if let nested = reader.nested("clean-aperture") {
            cleanAperture = try CleanAperture(nested, path: "clean-aperture.")
        }
        if let nested = reader.nested("color-properties") {
            color = try ColorProperties(nested, path: "color-properties.")
        }
        allowWideColor = reader.boolean("allow-wide-color")
        compression = try CompressionProperties(
            reader.nested("compression-properties") ?? [], path: "compression-properties.")
        frameRate = try reader.frameRate("frame-rate")
        // Apple's key is among the compression properties; it is accepted beside the codec, too.
        if let text = reader.string("profile-level") {
            guard compression.profileLevel == nil else { throw .duplicateKey("profile-level") }
            compression.profileLevel = try ProfileLevel(text)
        }
        try check()
    }

    /// The settings as a dictionary, which can be read back to the same settings.
    package var settings: [Setting] {
        var result: [Setting] = []
        func add(_ key: String, _ value: SettingValue?) {
            if let value { result.append(Setting(key, value)) }
        }
        add("codec", codec.map { .string($0.isProRes ? $0.rawValue : $0.fourCharacterCode) })
        add("width", width.map { .int($0) })
        add("height", height.map { .int($0) })
        add("scaling-mode", scalingMode.map { .string($0.rawValue) })
        add("pixel-aspect-ratio", pixelAspectRatio.map { .fraction($0) })
        add("clean-aperture", cleanAperture.map { .nested($0.settings) })
        add("color-properties", color.map { .nested($0.settings) })
        add("allow-wide-color", allowWideColor.map { .bool($0) })
        add("frame-rate", frameRate.map { .fraction($0) })
        add("compression-properties", compression.isEmpty ? nil : .nested(compression.settings))
        return result
    }

    /// Checks the rules that do not depend on the source.
    func check() throws(ExportError) {
        func checkSide(_ side: Int?, _ name: String) throws(ExportError) {
            guard let side else { return }
            func wrong(_ reason: String, _ remedy: String) -> ExportError {
                .frameSize(width: width, height: height, reason: reason, remedy: remedy)
            }
            guard side > 0 else { throw wrong("the \(name) is \(side)", "Use a \(name) above 0, or leave it out.") }
            guard side <= FrameFitting.maximumSide else {
                throw wrong("the \(name) is over \(FrameFitting.maximumSide)", "Use 7680x4320 or less.")
            }
            let least = VideoCodec.minimumSide
            guard side & 1 == 0 else {
                throw wrong(
                    "the \(name) is odd", side < least ? "Use \(least) or more." : "Use \(side - 1) or \(side + 1).")
            }
        }
        try checkSide(width, "width")
        try checkSide(height, "height")
        try color?.check()
        if let color, color.isWide, allowWideColor == false { throw .wideColorNotAllowed(color) }
    }
}
