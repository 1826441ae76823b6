import HDRPipeline

/// One input of `hdr tap`, and what is made of it.
struct TapJob {
    /// `nil` where it is played.
    let output: FileName?
    let picture: FileName?

    /// Names of sound and video files in a folder end in these.
    private static let endings: Set<String> = [
        ".aac", ".aif", ".aiff", ".caf", ".flac", ".m4a", ".m4v", ".mka", ".mkv", ".mov", ".mp3", ".mp4", ".oga",
        ".ogg",
        ".opus", ".wav", ".webm",
    ]

    /// The files that words of a command line name, those of a folder in the order of their names.
    static func files(_ words: [FileName]) throws(Failure) -> (files: [FileName], areMany: Bool) {
        var files: [FileName] = []
        for word in words {
            guard word.kind == .folder else {
                files.append(word)
                continue
            }
            let inside = word.content.filter { $0.kind == .file && endings.contains($0.ending) }
            guard !inside.isEmpty else {
                throw Failure("\(word.shown) is a folder without sound or video files: give the name of one")
            }
            files += inside
        }
        return (files, words.count != 1 || files != words)
    }

    /// - Parameter isOne: whether it is the only input, so that `-o` names its output rather than a folder.
    init(_ sound: SoundFile, _ settings: TapSettings, isOne: Bool) throws(Failure) {
        let derived = sound.stem + settings.suffix + ".wav"
        if settings.plays {
            output = nil
        } else if let named = settings.output {
            output = isOne ? named : named.appending(derived)
        } else {
            output = derived
        }
        picture = settings.picture ?? (settings.drawsBeside ? output.map { $0.stem + ".png" } : nil)
        if let output {
            try OutputFile.check(output, endings: SoundTarget.endings, inputs: [sound.file], force: settings.isForced)
        }
        if let picture {
            try OutputFile.check(picture, endings: [".png"], inputs: [sound.file], force: settings.isForced)
        }
        if let output, let picture, output == picture || output.isSameFile(as: picture) {
            throw Failure("\(picture.shown) cannot be both the sound and the picture")
        }
    }
}
