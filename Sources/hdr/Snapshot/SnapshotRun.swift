import HDRConcurrency
import HDRPipeline

/// Renders one frame of a file to an offscreen `edrsink`, and saves it.
struct SnapshotRun {
    /// The time limit in s; decoding from a key frame may take long.
    private static let patience = 120

    let file: FileName
    /// The file that is written, and what messages call it.
    let target: FileName
    let name: FileName
    let assumed: String?
    /// The most pixels on a side; `nil` for all of them.
    let size: Int?

    /// The frame to take.
    enum Moment: CustomStringConvertible {
        /// The frame at a time in ns.
        case time(UInt64)
        /// The frame at a tenth of the length: the first frames of a film are often black.
        case tenth

        var description: String {
            switch self {
            case .time(let time): Time.exact(time)
            case .tenth: "a tenth of its length"
            }
        }
    }

    /// The last frame that came since the last seek: its start and length in the file, in ns.
    private struct Frame: Sendable {
        let start: UInt64
        let length: UInt64?
    }

    /// Saves the frame of a moment.
    /// - Parameter saves: whether it is saved; if not, this only finds out whether it is there.
    /// - Returns: what is known of the file, and the frame's time in ns.
    func run(_ moment: Moment, saves: Bool = true) async throws -> (SourceInfo, UInt64) {
        let pipeline = Pipeline()
        let source = try FileSource.make(file, assumed: assumed)
        let converter = try Element(make: "videoconvert")
        let sink = try Element(make: "edrsink", ["presenter": "offscreen", "sync": false])
        try pipeline.add(source)
        // Does nothing to the formats that the sink takes, which are all but a few.
        try pipeline.add([converter] + scaling() + [sink])
        let frame = Locked<Frame?>(nil)
        try sink.pad("sink").watch { pad, buffer in
            let start = pad.streamTime(of: buffer) ?? 0
            frame.withLock { $0 = Frame(start: start, length: buffer.duration) }
            return .pass
        }
        let entry = try converter.pad("sink")
        let hasVideo = Locked<Bool?>(nil)
        let added = try source.on("pad-added") { arguments in
            guard let pad: Pad = arguments[0], pad.name == "video_0" else { return }
            hasVideo.withLock { $0 = true }
            _ = try? pad.link(to: entry)
        }
        let complete = try source.on("no-more-pads") { _ in hasVideo.withLock { $0 = $0 ?? false } }
        defer {
            withExtendedLifetime((added, complete)) {}
            _ = try? pipeline.begin(.null)
        }
        do {
            try await wait(hasVideo) { try await pipeline.set(.paused) }
            let info = try FileSource.info(source)
            let time =
                switch moment {
                case .time(let given): given
                case .tenth: (info.duration ?? 0) / 10
                }
            if time > 0 {
                frame.withLock { $0 = nil }
                do {
                    try await wait(hasVideo) { try await pipeline.seek(to: time) }
                } catch let error as PipelineError where error.code == nil {
                    throw Failure(
                        "\(file.shown) has no times to look for, it is a bare stream: give 0 as the time, or put "
                            + "it into a MOV, MP4 or Matroska file")
                }
            }
            try check(time, frame.current, info.duration)
            if saves { try await save(sink, pipeline) }
            return (info, time)
        } catch let error as PipelineError where hasVideo.current == false && error.factory == "hdrsrc" {
            // The element reports only that the audio is not linked, which is all that the file has.
            throw Failure.noVideo(file.shown)
        } catch {
            throw Explanation(source: file.shown, target: target, deed: "read").failure(error)
        }
    }

    /// The elements that scale pictures down before they are tone-mapped, which then takes little time.
    private func scaling() throws -> [Element] {
        guard let size else { return [] }
        let caps = "video/x-raw,width=[1,\(size)],height=[1,\(size)],pixel-aspect-ratio=1/1"
        return [try Element(make: "videoscale"), try Element(make: "capsfilter", ["caps": caps])]
    }

    private func wait(
        _ hasVideo: Locked<Bool?>, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let late = Failure("\(file.shown) is stuck: no frame came for \(Self.patience / 60) minutes")
        try await Run.interruptibly(within: Self.patience, late: late, body)
        if hasVideo.current == false { throw Failure.noVideo(file.shown) }
    }

    private func check(_ time: UInt64, _ frame: Frame?, _ duration: UInt64?) throws(Failure) {
        var isOver = duration.map { time >= $0 } ?? false
        if let frame {
            if let length = frame.length, frame.start.plus(length) <= time { isOver = true }
        } else if time == 0 {
            throw Failure("\(file.shown) is damaged: copy it again from its origin, or repair it by remuxing it")
        } else {
            isOver = true
        }
        guard isOver else { return }
        let rest =
            duration.map { ", which is \(Time.exact($0)) long: give a time below that" } ?? ": give a smaller time"
        throw Failure("\(Time.exact(time)) is beyond the end of \(file.shown)\(rest)")
    }

    private func save(_ sink: Element, _ pipeline: Pipeline) async throws {
        let messages = pipeline.messages
        guard try sink.emit("save-frame", target) != true else { return }
        // The sink's reason has been told by now.
        let reason = Task { () -> String? in
            for await message in messages { if case .warning(let warning) = message.kind { return warning.message } }
            return nil
        }
        let timeout = Task {
            try? await Task.sleep(for: .seconds(2))
            reason.cancel()
        }
        let text = await reason.value ?? "edrsink says no reason"
        timeout.cancel()
        let prefix = "The frame is not saved: "
        let said = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
        throw Failure(said.replacing(target.shown, with: name.shown))
    }
}
