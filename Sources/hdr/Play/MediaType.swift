import HDRPipeline

/// The media type that GStreamer detects from a file's first bytes, where no parser of this program recognizes it.
enum MediaType {
    /// - Returns: such as `video/mpegts` and `text/plain`; `nil` where GStreamer does not know it either.
    static func of(_ file: FileName) -> String? {
        guard let pipeline = try? Pipeline("filesrc name=file ! typefind name=type ! fakesink"),
            let type = try? pipeline["type"], (try? pipeline["file"].set("location", to: file)) != nil,
            (try? pipeline.begin(.paused)) != nil, (try? pipeline.wait(nanoseconds: 5 * Time.second)) != nil
        else { return nil }
        return (try? type.get("caps", as: Structure.self))?.name
    }
}
