import HDRPipeline

/// The user's choice among several tracks.
enum TrackChoice: Equatable {
    case automatic
    case off
    /// Counted from 1.
    case number(Int)
    /// A language code of ISO 639, with two letters where there is one.
    case language(String)
    /// A separate file.
    case file(FileName)

    var isChosen: Bool { self != .automatic && self != .off }

    /// The sound of `--sound`.
    init(sound text: String) throws(UsageError) {
        guard let choice = Self.inFile(text) else {
            throw UsageError("--sound wants a number from 1 on or a language such as en, not '\(text)'")
        }
        self = choice
    }

    /// The subtitles of `--subtitles`.
    init(subtitles text: String, _ file: FileName) throws(UsageError) {
        if text == "off" {
            self = .off
        } else if file.kind == .file {
            self = .file(file)
        } else if let choice = Self.inFile(text) {
            self = choice
        } else {
            let name = file.shown
            let reason =
                switch file.kind {
                case .folder: "\(name) is a folder"
                case .other: "\(name) is not a regular file"
                default: "there is no file \(name)"
                }
            throw UsageError(
                "--subtitles wants a number from 1 on, a language such as en, off, or a file, and \(reason)")
        }
    }

    private static func inFile(_ text: String) -> TrackChoice? {
        if let number = Int(text) { return number >= 1 ? .number(number) : nil }
        guard let language = Language.short(text) else { return nil }
        return .language(language)
    }

    /// The place of the wanted one among tracks; `nil` where there is none of that kind.
    func index(in tracks: [PlayTrack]) -> Int? {
        switch self {
        case .number(let number): tracks.indices.contains(number - 1) ? number - 1 : nil
        case .language(let language): tracks.firstIndex { $0.language.flatMap(Language.short) == language }
        case .automatic, .off, .file: nil
        }
    }

    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .language(let language): language
        case .file(let file): file.shown
        case .automatic: "auto"
        case .off: "off"
        }
    }
}

/// A track of a file that can be chosen.
struct PlayTrack: Equatable {
    enum Kind: String, CaseIterable {
        case video, audio, text

        /// The name in messages.
        var name: String {
            switch self {
            case .video: "video"
            case .audio: "sound"
            case .text: "subtitles"
            }
        }
    }

    /// Counted from 1.
    let number: Int
    let language: String?
    let title: String?
    let codec: String?

    var description: String {
        let parts = [language, title, codec].compactMap { $0 }.filter { !$0.isEmpty }
        return parts.isEmpty ? "nothing is said of it" : parts.joined(separator: ", ")
    }

    var json: JSON {
        .object([
            ("number", .integer(number)), ("language", .text(language)), ("title", .text(title)),
            ("codec", .text(codec)),
        ])
    }
}

/// Codes of languages: ISO 639.
enum Language {
    /// The code of two letters for one of two or three, a region behind it left out; `nil` for what is no code.
    static func short(_ text: String) -> String? {
        let code = text.lowercased().prefix { $0 != "-" && $0 != "_" }
        guard (2...3).contains(code.count), code.utf8.allSatisfy({ (97...122).contains($0) }) else { return nil }
        return short[String(code)] ?? String(code)
    }

    /// Two-letter codes for the codes of ISO 639-2, by the English or the native name of a language, for the languages
    /// common in films.
    private static let short: [String: String] = [
        "ara": "ar", "bul": "bg", "cat": "ca", "ces": "cs", "cze": "cs", "dan": "da", "deu": "de", "ger": "de",
        "ell": "el", "gre": "el", "eng": "en", "est": "et", "eus": "eu", "baq": "eu", "fas": "fa", "per": "fa",
        "fin": "fi", "fra": "fr", "fre": "fr", "gle": "ga", "glg": "gl", "heb": "he", "hin": "hi", "hrv": "hr",
        "hun": "hu", "hye": "hy", "arm": "hy", "ind": "id", "isl": "is", "ice": "is", "ita": "it", "jpn": "ja",
        "kat": "ka", "geo": "ka", "kor": "ko", "lav": "lv", "lit": "lt", "mkd": "mk", "mac": "mk", "msa": "ms",
        "may": "ms", "nld": "nl", "dut": "nl", "nob": "nb", "nor": "no", "pol": "pl", "por": "pt", "ron": "ro",
        "rum": "ro", "rus": "ru", "slk": "sk", "slo": "sk", "slv": "sl", "spa": "es", "sqi": "sq", "alb": "sq",
        "srp": "sr", "swe": "sv", "tam": "ta", "tel": "te", "tha": "th", "tur": "tr", "ukr": "uk", "urd": "ur",
        "vie": "vi", "zho": "zh", "chi": "zh",
    ]
}
