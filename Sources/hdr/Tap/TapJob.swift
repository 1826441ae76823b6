import HDRPipeline

/// One input of `hdr tap`, and its outputs.
struct TapJob {
    /// The output; `nil` where the audio is played.
    let output: FileName?
    let picture: FileName?

    /// Names of sound and video files in a folder end in these.
    static let endings = [
        ".wav", ".flac", ".mp3", ".m4a", ".ogg", ".aac", ".aif", ".aiff", ".caf", ".m4v", ".mka", ".mkv", ".mov",
        ".mp4", ".oga", ".opus", ".webm",
    ]

    /// Checks all about names that can be checked before the work.
    /// - Parameter output: `nil` where the sound is played.
    init(_ sound: SoundFile, to output: FileName?, _ settings: TapSettings) throws {
        self.output = output
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
