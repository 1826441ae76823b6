import CGStreamer
import HDRPipeline

/// The destination of processed audio.
enum SoundTarget {
    static let endings = [".wav", ".flac", ".ogg", ".m4a"]
    /// A WAV file's header counts bytes with 32 bits.
    private static let largestWAV = Double((1 << 32) - (1 << 20))
    /// Bits a second and channel.
    private static let bitRate = 96_000

    /// The elements that write a file.
    /// - Parameter name: the name, whose extension selects the kind of file; it is written to `place`.
    static func file(_ name: FileName, at place: FileName, of sound: SoundFile) -> [LaunchElement] {
        let end = LaunchElement("filesink", ("location", place))
        let start = [queue(Time.second), LaunchElement("audioconvert"), LaunchElement("audioresample")]
        switch name.ending {
        case ".flac": return start + [.format("audio/x-raw,format=S24LE"), LaunchElement("flacenc"), end]
        case ".ogg": return start + [LaunchElement("vorbisenc", ("quality", 0.6)), LaunchElement("oggmux"), end]
        case ".m4a":
            // Forced mid/side coding, which is the element's default, brings sound of one side to both.
            let rate = bitRate * min(max(sound.channels, 1), 8)
            let encoder = LaunchElement("avenc_aac", ("bitrate", rate), ("aac-ms", false))
            return start + [encoder, LaunchElement("aacparse"), LaunchElement("mp4mux"), end]
        default: return start + [.format("audio/x-raw,format=S24LE"), LaunchElement("wavenc"), end]
        }
    }

    /// The elements that play.
    static var speakers: [LaunchElement] {
        [
            queue(Time.second / 5), LaunchElement("audioconvert"), LaunchElement("audioresample"),
            LaunchElement("autoaudiosink"),
        ]
    }

    private static func queue(_ time: UInt64) -> LaunchElement {
        LaunchElement("queue", ("max-size-buffers", 0), ("max-size-bytes", 0), ("max-size-time", time))
    }

    /// Refuses to play where there is nothing to play on.
    static func checkSpeakers() throws {
        let sink = try Element(make: "autoaudiosink")
        // The sink opens a device now, or falls back to a sink that plays nothing.
        gst_element_set_state(sink.pointer, GST_STATE_READY)
        defer { gst_element_set_state(sink.pointer, GST_STATE_NULL) }
        guard let chosen = sink.children.first, chosen.factory != "fakesink" else {
            throw Failure("there is no sound device to play on: leave out --play to write a file instead")
        }
    }

    /// Refuses a file that would be larger than its kind can be.
    /// - Parameter duration: in ns.
    static func checkSize(of name: FileName, _ sound: SoundFile, _ duration: UInt64) throws(Failure) {
        let bytes = Double(duration) / 1e9 * Double(sound.rate) * Double(sound.channels) * 3
        guard name.ending != ".wav" || bytes <= largestWAV else {
            throw Failure(
                "\(name.shown) would be larger than the 4 GiB of a WAV file: name an output that ends in .flac")
        }
    }
}
