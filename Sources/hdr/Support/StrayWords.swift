import HDRPipeline

/// Words of a command line that name no file, where they are likely to mean something else: an output whose -o was
/// forgotten, or an option's value.
struct StrayWords {
    /// The advice for a word, by the word as a file name.
    private var advice: [FileName: String] = [:]

    /// - Parameter meaning: the likely meaning of a word in this command, such as "to convert to HLG: --range hlg".
    init(_ options: Options, meaning: (String) -> String? = { _ in nil }) {
        let words = options.words
        for (index, word) in words.enumerated() where word.file.kind == nil && !word.file.bytes.isEmpty {
            if let text = meaning(word.text) {
                advice[word.file] = text
            } else if index > 0, index == words.count - 1, options.value("--output") == nil, !word.file.isAddress,
                words.count == 2 || !word.file.ending.isEmpty
            {
                advice[word.file] = "to write it: -o \(word.file.shown)"
            }
        }
    }

    /// The advice for any of the words; `nil` for none.
    var any: String? { advice.values.min() }

    /// Refuses a file that does not exist, where there is advice for it.
    func check(_ file: FileName) throws(Failure) {
        guard let text = advice[file] else { return }
        throw Failure("\(InputCheck.isMissing(file)); \(text)")
    }
}
