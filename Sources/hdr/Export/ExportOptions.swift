import HDRExport
import HDRPipeline

/// The options of the exporting commands, as properties of `hdrmux-settings`.
struct ExportOptions {
    static let defaultPreset = "hevc-highest-quality"
    /// Endings of the files that can be written; the first is that of derived names.
    static let endings = [".mov", ".mp4", ".m4v", ".m4a", ".mkv", ".ts"]

    typealias Properties = [(name: String, value: any Value)]

    /// The preset's name as the user wrote it.
    let title: String
    /// The preset of `hdrmux-settings`.
    let preset: String
    let fileType: String?
    let speed: String?
    /// Whether the user may choose another preset.
    let hasChoice: Bool
    /// The user's own preset with its place in the file; `nil` where the preset is not one of those.
    private let own: UserPresets.Preset?
    private var properties: Properties

    /// - Parameter preset: that of a command which has no other.
    /// - Throws: what is wrong with the options by themselves.
    init(_ options: Options, preset: String? = nil) throws {
        hasChoice = preset == nil
        let asked = options.value("--preset") ?? preset ?? Self.defaultPreset
        // A wrong line must not stop a user who does not use any preset of the file.
        let asksForOne = options.value("--preset") != nil || options.value("--preset-file") != nil
        let presets = asksForOne ? try UserPresets(options.file("--preset-file")) : nil
        let own = presets?[asked]
        self.own = own
        self.preset = try own?.base ?? Self.preset(asked, own: presets?.presets.map(\.name) ?? [])
        title = asked
        fileType = try options.fileType()
        var properties: Properties = []
        if let display = options.value("--mastering-display") {
            properties.append(("mastering-display-color-volume", display))
        }
        if let levels = options.value("--light-levels") { properties.append(("content-light-level-info", levels)) }
        speed = options.value("--speed") ?? own?.speed
        try Self.check(speed: speed)
        if let speed { properties.append(("speed-preset", speed)) }
        let given = try options.value("--settings").map { text throws(UsageError) in try Self.structure(text) }
        if let settings = try Self.settings(given, own) { properties.append(("settings", settings)) }
        if options.has("--no-hdr-metadata") { properties.append(("hdr-metadata-insertion-mode", "none")) }
        switch try options.choice(.dynamicMetadata) {
        case "recompute"?: properties.append(("preserve-dynamic-hdr-metadata", false))
        case let format? where format != "preserve": properties.append(("dynamic-hdr-metadata", format))
        default: break
        }
        if let encoder = try Self.encoder(options) { properties.append(("encoder", encoder)) }
        if options.has("--software") { properties.append(("enable-hardware-acceleration", false)) }
        if options.has("--optimize-for-network") { properties.append(("optimize-for-network-use", true)) }
        self.properties = properties
    }

    /// A preset's name, in the form of `hdrmux-settings` or of AVFoundation.
    /// - Parameter own: the names of the user's presets, for the message.
    static func preset(_ name: String, own: [String]) throws(UsageError) -> String {
        guard (try? ExportPreset(named: name)) == nil else { return name }
        throw UsageError(no: "preset", called: name, among: own + ExportPreset.allCases.map(\.rawValue))
    }

    private static func encoder(_ options: Options) throws(UsageError) -> String? {
        guard let name = options.value("--encoder") else { return nil }
        guard name.isEmpty || EncoderOptions.videoFactories.contains(name) else {
            throw UsageError(no: "encoder", called: name, among: EncoderOptions.videoFactories)
        }
        return name
    }

    static func check(speed: String?) throws(UsageError) {
        let speeds = EncoderSpeed.allCases.map(\.rawValue)
        guard let speed, !speeds.contains(speed) else { return }
        throw UsageError(no: "speed", called: speed, among: speeds)
    }

    /// A structure from a launch line's text, with or without its name in front.
    private static func structure(_ text: String) throws(UsageError) -> Structure {
        let word = text.drop { $0 == " " }.prefix { $0.isLetter || $0 == "-" }
        let rest = text.drop { $0 == " " }.dropFirst(word.count).drop { $0 == " " }
        let isBare = !word.isEmpty && rest.first == "="
        do {
            return try Structure(isBare ? "settings, " + text : text)
        } catch {
            throw UsageError(
                "--settings cannot be read: \"\(text)\" is no GStreamer structure; write it like "
                    + "\"width=1280, height=720\"")
        }
    }

    mutating func add(_ name: String, _ value: any Value) { properties.append((name, value)) }

    /// The settings of the command line, completed by those of the user's preset.
    private static func settings(_ given: Structure?, _ own: UserPresets.Preset?) throws -> Structure? {
        guard let own, !own.settings.isEmpty else { return given }
        var text = "settings"
        for key in given?.fields ?? [] { text += ", \(key)=\(given?.typed(key) ?? "")" }
        for (key, value) in own.settings where !(given?.fields.contains(key) ?? false) { text += ", \(key)=\(value)" }
        return try Structure(text)
    }

    /// The file type of an output: the one that the user has set, or else that of the extension.
    func fileType(of output: FileName) throws(UsageError) -> String {
        try OutputFile.checkIsFile(output, endings: Self.endings)
        if let fileType { return fileType }
        let ending = output.ending
        guard Self.endings.contains(ending), let type = try? FileType(named: String(ending.dropFirst())) else {
            let last = Self.endings.last ?? ""
            throw UsageError(
                "\(output.shown) should end in \(Self.endings.dropLast().joined(separator: ", ")) or \(last); or add "
                    + "--file-type")
        }
        return type.rawValue
    }

    /// The ending of an output whose name is derived from its input's.
    func ending(for input: FileName) -> String {
        if preset == "m4a" { return ".m4a" }
        if let fileType, let type = FileType(rawValue: fileType) { return "." + type.fileExtension }
        return [".mov", ".mp4", ".mkv"].contains(input.ending) ? input.ending : ".mov"
    }

    /// The properties for an output.
    func settings(for fileType: String) -> Properties {
        [("preset", preset), ("file-type", fileType)] + properties
    }

    // MARK: The element

    static func make(_ settings: Properties) throws -> Element {
        let element = try Element(make: "hdrmux-settings")
        for (name, value) in settings {
            do {
                try element.set(name, to: value)
            } catch {
                throw Failure("\(error.message)")
            }
        }
        return element
    }

    /// The sink for the file that the element makes; without a target one that discards it.
    static func sink(_ target: OutputFile?) throws -> Element {
        guard let target else { return try Element(make: "fakesink", ["sync": false]) }
        return try Element(make: "filesink", ["location": target.path])
    }

    /// Has the element judge the settings for an output's file type.
    func check(_ fileType: String) throws {
        do {
            try Self.check(settings(for: fileType), hasPresets: hasChoice)
        } catch let error as UsageError {
            guard let own else { throw error }
            throw Failure("the preset \(own.name) of \(own.place): \(error.description)")
        }
    }

    /// Has the element judge settings.
    /// - Parameter hasPresets: whether the user may choose a preset and settings.
    /// - Throws: ``UsageError`` where it is them that are wrong.
    static func check(_ settings: Properties, hasPresets: Bool = true) throws {
        let pipeline = Pipeline()
        try pipeline.add(try make(settings))
        defer { _ = try? pipeline.begin(.null) }
        do throws(PipelineError) {
            try pipeline.begin(.ready)
        } catch {
            guard error.code?.domain == "gst-library-error-quark" else { throw Failure(error.message) }
            throw UsageError(ExporterWords.line(error.message, hasPresets: hasPresets))
        }
    }
}
