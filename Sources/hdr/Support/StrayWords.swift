import HDRPipeline

/// Words of a command line that name no file, where they are likely to mean something else: an output whose -o was
/// forgotten, or an option's value.
struct StrayWords {
    /// What to write in place of a word, by the word as a file's name.
    private var advice: [FileName: String] = [:]

    /// - Parameter meaning: what a word may mean in this command, as "to convert to HLG: --range hlg".
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

    /// What is advised for any of the words; `nil` for nothing.
    var any: String? { advice.values.min() }

    /// Refuses a file that is not there, where there is more to say than that.
    func check(_ file: FileName) throws(Failure) {
        guard let text = advice[file] else { return }
        throw Failure("\(InputCheck.isMissing(file)); \(text)")
    }
}
