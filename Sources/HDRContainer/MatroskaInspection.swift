import HDRMetadata

/// Reads the video tracks of a Tracks element.
enum MatroskaInspection {
    /// - Parameter bytes: the complete element, including its header.
    static func tracks(_ bytes: [UInt8]) throws(ContainerError) -> [VideoTrack] {
        var elements = EBML.elements(bytes, in: 0..<bytes.count)
        guard let element = try elements.next(), element.id == MatroskaID.tracks else {
            throw .missingElement("Tracks")
        }
        var result: [VideoTrack] = []
        var entries = EBML.elements(bytes, in: element.data)
        while result.count < ContainerInspection.maximumTracks, let entry = try entries.next() {
            guard entry.id == MatroskaID.trackEntry, try MatroskaTracksPatcher.isVideo(bytes, entry) else { continue }
            result.append(try track(bytes, entry, index: result.count))
        }
        return result
    }

    /// The text of an element, up to the first zero byte.
    static func text(_ bytes: [UInt8], _ element: EBMLElement) -> String {
        let data = BigEndian.slice(bytes, element.data)
        return String(decoding: data.prefix { $0 != 0 }.prefix(256), as: UTF8.self)
    }

    private static func track(
        _ bytes: [UInt8], _ entry: EBMLElement, index: Int
    ) throws(ContainerError) -> VideoTrack {
        var track = VideoTrack(index: index, identifier: 0, codec: "", width: 0, height: 0)
        var children = EBML.elements(bytes, in: entry.data)
        while let child = try children.next() {
            switch child.id {
            case MatroskaID.trackNumber: track.identifier = EBML.unsigned(bytes, child) ?? 0
            case MatroskaID.flagEnabled: track.isEnabled = EBML.unsigned(bytes, child) != 0
            case MatroskaID.flagDefault: track.isDefault = EBML.unsigned(bytes, child) != 0
            case MatroskaID.codecID: track.codec = text(bytes, child)
            case MatroskaID.codecPrivate:
                track.configuration = .init(
                    type: "CodecPrivate", bytes: BigEndian.slice(bytes, child.data))
            case MatroskaID.blockAdditionMapping:
                track.dolbyVision = try MatroskaTracksPatcher.dolbyVision(bytes, child) ?? track.dolbyVision
                if let identifier = try registeredDataID(bytes, child) { track.registeredDataIDs.insert(identifier) }
            case MatroskaID.defaultDuration:
                track.frameRate = EBML.unsigned(bytes, child).flatMap { FrameRate(1_000_000_000, $0) }
            case MatroskaID.video: try readVideo(bytes, child, into: &track)
            default: break
            }
        }
        return track
    }

    private static func readVideo(
        _ bytes: [UInt8], _ video: EBMLElement, into track: inout VideoTrack
    ) throws(ContainerError) {
        var display: (width: UInt64?, height: UInt64?, unit: UInt64) = (nil, nil, 0)
        var children = EBML.elements(bytes, in: video.data)
        while let child = try children.next() {
            switch child.id {
            case MatroskaID.pixelWidth: track.width = EBML.unsigned(bytes, child) ?? 0
            case MatroskaID.pixelHeight: track.height = EBML.unsigned(bytes, child) ?? 0
            case MatroskaID.displayWidth: display.width = EBML.unsigned(bytes, child)
            case MatroskaID.displayHeight: display.height = EBML.unsigned(bytes, child)
            case MatroskaID.displayUnit: display.unit = EBML.unsigned(bytes, child) ?? 0
            case MatroskaID.colour: try MatroskaColor.read(bytes, child, into: &track)
            case MatroskaID.projection:
                track.orientation = try orientation(bytes, child)
            default: break
            }
        }
        track.pixelAspect = pixelAspect(track, display.width, display.height, unit: display.unit)
    }

    /// The BlockAddIDValue of a mapping of type 4, ITU-T T.35.
    private static func registeredDataID(_ bytes: [UInt8], _ mapping: EBMLElement) throws(ContainerError) -> UInt64? {
        guard let type = try EBML.first(MatroskaID.blockAddIDType, bytes, in: mapping.data),
            EBML.unsigned(bytes, type) == 4
        else { return nil }
        return try EBML.first(MatroskaID.blockAddIDValue, bytes, in: mapping.data).flatMap { EBML.unsigned(bytes, $0) }
    }

    private static func orientation(
        _ bytes: [UInt8], _ projection: EBMLElement
    ) throws(ContainerError) -> PictureOrientation? {
        var pose: [UInt32: Double] = [:]
        var children = EBML.elements(bytes, in: projection.data)
        while let child = try children.next() {
            // The pose of a panorama is its initial view, which rotates no picture.
            if child.id == MatroskaID.projectionType, EBML.unsigned(bytes, child) != 0 { return .upright }
            pose[child.id] = EBML.float(bytes, child)
        }
        return PictureOrientation(
            yaw: pose[MatroskaID.projectionPoseYaw] ?? 0, pitch: pose[MatroskaID.projectionPosePitch] ?? 0,
            roll: pose[MatroskaID.projectionPoseRoll] ?? 0)
    }

    /// The display size divided by the pixel size, where the display size counts pixels (unit 0) or is itself a ratio
    /// (unit 3).
    private static func pixelAspect(
        _ track: VideoTrack, _ width: UInt64?, _ height: UInt64?, unit: UInt64
    ) -> VideoTrack.PixelAspect? {
        guard unit == 0 || unit == 3, width != nil || height != nil else { return nil }
        let (width, height) = (width ?? track.width, height ?? track.height)
        let (across, overflowX) = width.multipliedReportingOverflow(by: track.height)
        let (down, overflowY) = height.multipliedReportingOverflow(by: track.width)
        guard !overflowX, !overflowY, across > 0, down > 0 else { return nil }
        var (a, b) = (across, down)
        while b != 0 { (a, b) = (b, a % b) }
        guard let horizontal = UInt32(exactly: across / a), let vertical = UInt32(exactly: down / a) else { return nil }
        return .init(horizontal: horizontal, vertical: vertical)
    }
}

/// The timing in an Info element: RFC 9559 section 5.1.2.
struct MatroskaInfo {
    /// TimestampScale: the duration of a tick in nanoseconds.
    private(set) var scale: UInt64 = 1_000_000
    /// The duration in nanoseconds; `nil` where there is none.
    private(set) var duration: UInt64?

    init() {}

    /// - Parameter bytes: the element's data without its header.
    init(_ bytes: [UInt8]) {
        var value: Double?
        var children = EBML.elements(bytes, in: 0..<bytes.count)
        while let child = try? children.next() {
            switch child.id {
            case MatroskaID.timestampScale: scale = EBML.unsigned(bytes, child) ?? scale
            case MatroskaID.duration: value = EBML.float(bytes, child)
            default: break
            }
        }
        duration = value.flatMap { $0 > 0 ? UInt64(exactly: ($0 * Double(scale)).rounded()) : nil }
    }
}
