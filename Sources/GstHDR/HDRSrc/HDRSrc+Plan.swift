import CGStreamer
import CGstHDR
import GstBridge
import HDRContainer
import HDRMetadata

extension HDRSrc {
    /// Which tracks of a file are played: made when all of them are known, and never changed.
    struct Plan {
        /// The video track; `nil` in a file with audio only.
        let video: SourceTrack?
        /// The audio tracks that are played, in the file's order.
        let audio: [SourceTrack]
        /// The number of audio tracks for which there is no decoder.
        let undecodable: Int
        /// The number of tracks that are neither audio nor the video that is played.
        let leftOut: Int

        /// - Throws: where nothing can be played.
        init(_ tracks: [SourceTrack], _ file: SourceFile, missing: [String], _ settings: Settings) throws(SourceFailure)
        {
            func place(_ track: SourceTrack) -> (Int, Int, String) {
                (file.rank(track.containerNumber), track.place, track.number)
            }
            video = tracks.filter(\.isPlayableVideo).min { place($0) < place($1) }
            let sound = SourceTrack.inOrder(tracks.filter { $0.kind == .audio })
            audio = sound.filter { settings.keeps($0.caps) || $0.isRaw || Decoders.isThere(for: $0.caps.pointer) }
            undecodable = sound.count - audio.count
            leftOut = tracks.count - sound.count - (video == nil ? 0 : 1)
            let isEncrypted = Self.isEncrypted(Self.media(tracks, missing))
            guard video == nil || isEncrypted else { return }
            // A file with audio only is played.
            if !audio.isEmpty, !isEncrypted, !Self.media(tracks, missing).contains(where: { $0.hasPrefix("video/") }),
                file.videos.isEmpty
            {
                return
            }
            if let reason = Self.reason(tracks, file, missing: missing) { throw reason }
            throw sound.isEmpty ? .notAVideo(file.name) : .cannotDecode(file.name, "no plugin decodes its sound")
        }

        private static func media(_ tracks: [SourceTrack], _ missing: [String]) -> [String] {
            tracks.map(\.mediaType).filter { !$0.isEmpty } + missing
        }

        private static func isEncrypted(_ media: [String]) -> Bool {
            media.contains { $0.hasPrefix("application/x-cenc") || $0.hasPrefix("application/x-cbcs") }
        }

        /// Why no video is played, where the tracks explain it.
        static func reason(_ tracks: [SourceTrack], _ file: SourceFile, missing: [String]) -> SourceFailure? {
            let media = media(tracks, missing)
            if isEncrypted(media) { return .encrypted(file.name) }
            if tracks.contains(where: \.isPlayableVideo) { return nil }
            if let video = media.first(where: { $0.hasPrefix("video/") }) {
                return .noDecoder(file.name, Decoders.codecName(video), package: Decoders.package(video))
            }
            let hasSound = tracks.contains { $0.kind == .audio }
            if !hasSound, media.contains(where: { $0.hasPrefix("image/") }) { return .stillPicture(file.name) }
            if !hasSound, media.contains(where: { $0.hasPrefix("text/") }) { return .notAVideo(file.name) }
            // The header may describe video that is too damaged to play.
            if !file.videos.isEmpty { return .damaged(file.name) }
            return hasSound || media.isEmpty ? nil : .noVideo(file.name)
        }
    }

    /// The colours and metadata that are known of a video, which complete its caps.
    struct VideoFacts: Sendable {
        let header: VideoTrack?
        let assumed: AssumedTransfer?
        /// The media type of the packets, and the colorimetry that parsers and the container give them.
        let media: String
        let said: String?
        /// Whether decoded pictures cannot be shown without Dolby Vision metadata, so that they are converted to PQ.
        let hasOwnColors: Bool

        init(_ track: SourceTrack, _ file: SourceFile, _ assumed: AssumedTransfer?) {
            header = file.video(track.containerNumber)
            self.assumed = assumed
            hasOwnColors =
                header?.dolbyVision.map(\.needsDolbyVision)
                ?? header.map { file.ownColorTracks.contains($0.identifier) } ?? file.hasOwnColorsAlone
            media = track.mediaType
            said = gst_caps_get_structure(track.caps.pointer, 0).flatMap { Caps.string($0, "colorimetry") }
        }

        /// The colorimetry that replaces the one in caps; `nil` to keep it.
        func colorimetry(insteadOf current: String?) -> String? {
            if let assumed { return Self.colorimetry(assumed, like: current) }
            // VP9 streams do not state their transfer function, so the container's counts.
            guard media == "video/x-vp9", let said, Self.transfer(said) != nil,
                current.flatMap({ Self.transfer($0) }) == nil
            else { return nil }
            return said
        }

        /// Adds what the file's header knows and the caps lack, and corrects the colorimetry.
        func complete(_ caps: UnsafeMutablePointer<GstCaps>) {
            var metadata = StaticMetadata(caps: caps)
            if let box = header?.masteringDisplay, metadata.masteringDisplay.map({ $0.isMisreading(of: box) }) ?? true {
                metadata.masteringDisplay = box
            }
            if let level = header?.contentLightLevel, level.maximum > 0 {
                metadata.contentLightLevel = metadata.contentLightLevel ?? level
            }
            metadata.write(to: caps)
            for structure in Caps.structures(caps) {
                guard let better = colorimetry(insteadOf: Caps.string(structure, "colorimetry")) else { continue }
                Caps.set(structure, "colorimetry", to: better)
            }
        }

        /// The name of the HDR transfer function in a colorimetry; `nil` for others.
        static func transfer(_ colorimetry: String) -> String? {
            guard let color = ColorDescription(colorimetry: colorimetry) else { return nil }
            return color.isPQ ? "PQ" : color.isHLG ? "HLG" : nil
        }

        /// A colorimetry with another transfer function and other primaries, but with the present range and RGB matrix.
        private static func colorimetry(_ assumed: AssumedTransfer, like current: String?) -> String? {
            var color = GstVideoColorimetry()
            guard gst_video_colorimetry_from_string(&color, "bt2100-\(assumed.rawValue)") != 0 else { return nil }
            var old = GstVideoColorimetry()
            if let current, gst_video_colorimetry_from_string(&old, current) != 0 {
                if old.range != GST_VIDEO_COLOR_RANGE_UNKNOWN { color.range = old.range }
                if old.matrix == GST_VIDEO_COLOR_MATRIX_RGB { color.matrix = old.matrix }
            }
            return color.text
        }

        /// The name of the transfer function: PQ, HLG, SDR or unknown. Decoders make up a colorimetry where the stream
        /// has none; parsers do not.
        /// - Parameter effective: the colorimetry at the pad.
        func transferName(_ effective: String?, inStream: ColorDescription?) -> String {
            guard let effective else { return "unknown" }
            if let name = Self.transfer(effective) { return name }
            // Demuxers, too, make up a colorimetry for uncompressed pictures.
            let isSaid =
                said != nil && media != "video/x-raw" || header?.color.map { $0.transfer != 2 } == true
                || inStream.map { $0.transfer != 2 } == true
            var color = GstVideoColorimetry()
            guard isSaid, gst_video_colorimetry_from_string(&color, effective) != 0,
                color.transfer != GST_VIDEO_TRANSFER_UNKNOWN
            else { return "unknown" }
            return "SDR"
        }

        /// The Dolby Vision profile of a video that cannot be shown without its metadata; `nil` for others.
        func ownColorsProfile(_ metadata: DynamicMetadata) -> Int? {
            if let record = header?.dolbyVision { return record.needsDolbyVision ? Int(record.profile) : nil }
            return metadata.ownColorsProfile
        }
    }
}
