import HDRBitstream
import HDRConcurrency
import HDRExport
import HDRPipeline

/// Copies a file, and puts other metadata into the access units of its main video. Nothing is decoded or encoded.
struct MetadataCopy {
    /// Endings of bare streams, which hold HEVC alone.
    static let bareEndings = [".hevc", ".h265", ".265"]
    /// Endings of what can be written.
    static let endings = [".mov", ".mp4", ".m4v", ".mkv", ".ts"] + bareEndings

    /// Gets an access unit with its number in decoding order.
    /// - Returns: the access unit that takes its place; `nil` where it stays.
    typealias Edit = @Sendable (Int, UserDataEditor.Stream, UnsafeRawBufferPointer) throws(BitstreamError) -> [UInt8]?

    let input: FileName
    let target: OutputFile
    /// The results of the first pass over the file.
    let track: MetadataTrack
    let edit: Edit

    fileprivate struct State {
        var stream: UserDataEditor.Stream?
        var count = 0
        var changed = 0
        var failure: String?
    }

    /// The ending of an output whose name is derived from its input's.
    static func ending(for input: FileName) -> String { endings.contains(input.ending) ? input.ending : ".mkv" }

    /// Checks what can be checked of an output before the work.
    static func check(_ input: FileName, _ output: FileName, _ options: Options) throws {
        try InputCheck.check(input)
        let fileType = try options.fileType()
        try OutputFile.check(
            output, endings: fileType == nil ? endings : [], inputs: [input], force: options.has("--force"))
    }

    /// - Parameter fileType: the container, whatever the output's extension is; `nil` for the one of the extension.
    /// - Returns: the number of access units that were changed, and notes for the user.
    func run(fileType: String?, _ progress: ProgressLine) async throws -> (changed: Int, notes: [String]) {
        let isBare = fileType == nil && Self.bareEndings.contains(target.name.ending)
        guard !isBare || track.codec == .hevc else {
            throw Failure(
                "\(input.shown) has AV1, and \(target.name.shown) would be a bare stream of HEVC: name a .mkv file")
        }
        let expected = track.pictures.count
        let state = Locked(State())
        let filter = try Element(make: "identity")
        try filter.pad("src").watch { [edit] pad, buffer in
            state.withLock { $0.take(pad, buffer, edit) }
        }
        let notes: [String]
        if isBare {
            notes = try await writeStream(filter, progress)
        } else {
            let type = try fileType ?? FileType(named: String(target.name.ending.dropFirst())).rawValue
            let run = ExportRun(
                input: input, target: target, settings: [("preset", "passthrough"), ("file-type", type)],
                preset: "passthrough", filters: [filter])
            notes = try await run.run(progress).report.notes
        }
        let end = state.current
        if let failure = end.failure { throw Failure("\(input.shown) could not be changed: \(failure)") }
        guard end.count == expected else {
            throw Failure(
                "\(input.shown) had \(expected) pictures when it was read first, and now has \(end.count): is it being "
                    + "written?")
        }
        return (end.changed, notes)
    }

    private func writeStream(_ filter: Element, _ progress: ProgressLine) async throws -> [String] {
        let pipeline = Pipeline()
        let source = try FileSource.make(input, assumed: nil, isDecoded: false)
        try pipeline.add(source)
        try pipeline.add(
            filter, Element(make: "h265parse"),
            Element(make: "capsfilter", ["caps": "video/x-h265,stream-format=byte-stream,alignment=au"]),
            Element(make: "filesink", ["location": target.path]))
        let entry = try filter.pad("sink")
        let count = Locked(ProgressLine.Count())
        let problem = Locked<String?>(nil)
        let hasSound = Locked(false)
        var info = SourceInfo(nil)
        let connection = try source.on("pad-added") { arguments in
            guard let pad: Pad = arguments[0] else { return }
            guard pad.name == "video_0" else {
                hasSound.withLock { $0 = true }
                pad.take { _ in false }
                return
            }
            pad.watch { pad, buffer in
                count.withLock { $0.note(pad.runningTime(of: buffer) ?? 0) }
                return .pass
            }
            do { try pad.link(to: entry) } catch {
                problem.withLock { $0 = "\(pad.format?.title ?? "this video") has no bare stream: name a .mkv file" }
            }
        }
        defer {
            withExtendedLifetime(connection) {}
            progress.clear()
        }
        do {
            try await Run.play(
                pipeline,
                tick: {
                    if let text = problem.current { throw Failure(text) }
                    if progress.duration == nil { progress.duration = try FileSource.info(source).duration }
                    try progress.show(count.current, of: input.shown)
                    return true
                }, end: { info = try FileSource.info(source) })
        } catch {
            throw Explanation(source: input.shown, target: target.name, deed: "copied").failure(error)
        }
        return info.notes + (hasSound.current ? ["a bare stream has no sound: name a .mkv file to keep it"] : [])
    }
}

extension MetadataCopy.State {
    fileprivate mutating func take(_ pad: Pad, _ buffer: Buffer, _ edit: MetadataCopy.Edit) -> Pad.Verdict {
        let index = count
        count += 1
        guard failure == nil else { return .pass }
        do {
            let stream = try self.stream ?? Self.stream(pad)
            self.stream = stream
            let bytes = try buffer.withBytes { bytes in try edit(index, stream, bytes) } ?? nil
            guard let bytes else { return .pass }
            changed += 1
            // The metadata that the reader has attached to the buffer are the previous ones.
            return .replace(try buffer.replaced(by: bytes).with([]))
        } catch {
            failure = "picture \(index + 1): \(error)"
            return .pass
        }
    }

    private static func stream(_ pad: Pad) throws -> UserDataEditor.Stream {
        guard let format = pad.format, format.name == "video/x-h265" else { return .av1 }
        guard let record = format.bytes("codec_data") else { return .hevc(.byteStream) }
        return .hevc(try HEVCConfigurationRecord(record).framing)
    }
}
