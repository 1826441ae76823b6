import HDRMetadata

/// A video track as a file's header describes it. The values of its HDR boxes are members too, such as
/// `masteringDisplay`.
@dynamicMemberLookup
package struct VideoTrack: Equatable, Sendable {
    package struct CodecConfiguration: Equatable, Sendable {
        /// The box type, or `CodecPrivate`.
        package var type: String
        package var bytes: [UInt8]
    }

    package struct PixelAspect: Equatable, Sendable {
        package var horizontal: UInt32
        package var vertical: UInt32
    }

    /// Mastering metadata in Matroska's form: chromaticities, and luminances in cd/m².
    package struct MasteringValues: Equatable, Sendable {
        package var redX, redY, greenX, greenY, blueX, blueY, whiteX, whiteY, maximum, minimum: Double?

        /// The values in the steps of ST 2086; `nil` where any of them is missing or out of range.
        package var display: MasteringDisplay? {
            guard let red = Self.point(redX, redY), let green = Self.point(greenX, greenY),
                let blue = Self.point(blueX, blueY), let white = Self.point(whiteX, whiteY),
                let maximum = Self.steps(maximum, 10000), let minimum = Self.steps(minimum, 10000)
            else { return nil }
            return MasteringDisplay(
                red: red, green: green, blue: blue, white: white, maximum: maximum, minimum: minimum)
        }

        private static func point(_ x: Double?, _ y: Double?) -> SIMD2<UInt16>? {
            guard let x = steps(x, 50000).flatMap({ UInt16(exactly: $0) }),
                let y = steps(y, 50000).flatMap({ UInt16(exactly: $0) })
            else { return nil }
            return SIMD2(x, y)
        }

        private static func steps(_ value: Double?, _ scale: Double) -> UInt32? {
            value.flatMap { UInt32(exactly: ($0 * scale).rounded()) }
        }
    }

    /// The track's index, counted from 0 among the video tracks.
    package var index: Int
    /// The track ID or track number.
    package var identifier: UInt64
    /// The type of the sample entry, such as `hvc1`, the CodecID, or the type of a transport stream's stream, such as
    /// `0x24`.
    package var codec: String
    /// The format of an encrypted entry before encryption.
    package var originalFormat: String?
    package var width: UInt64
    package var height: UInt64
    package var color: ColorDescription?
    /// The types of colour boxes, `nclc`, `nclx`, `prof` or `rICC`, in the order of the file.
    package var colorTypes: [String] = []
    package var hdr = HDRBoxValues()
    /// BlockAddIDs of Matroska's blocks that hold ITU-T T.35 metadata, besides 4, which always does.
    package var registeredDataIDs: Set<UInt64> = []
    /// Whether an MXF descriptor has an item of the mastering display, readable or not.
    package var hasMasteringItems = false
    /// Whether the HEVC descriptor of a transport stream declares HDR (ITU-T H.222.0 section 2.6.95).
    package var declaresHDR: Bool?
    /// The mastering display values as Matroska stores them.
    package var masteringValues: MasteringValues?
    package var configuration: CodecConfiguration?
    package var pixelAspect: PixelAspect?
    /// The orientation; `nil` where the matrix or the projection is not one of the eight.
    package var orientation: PictureOrientation? = .upright
    /// The clockwise rotation in degrees; `nil` where the orientation is unknown or mirrored.
    package var rotation: Int? { orientation.flatMap { $0.isMirrored ? nil : $0.rotation } }
    /// The frame rate according to the container's tables; `nil` where they have none.
    package var frameRate: FrameRate?
    /// The track's own duration in nanoseconds; `nil` where the container states that of the whole file only.
    package var duration: UInt64?
    /// The ticks per second of the track's times; `nil` where the container counts otherwise, as Matroska and MXF do.
    package var timescale: UInt32?
    /// The bits per component and chroma_format_idc, where the container has them, as MXF does.
    package var bitDepth: UInt8?
    package var chromaFormat: UInt8?
    /// The value of `track_enabled` in a track header, or of FlagEnabled in Matroska.
    package var isEnabled = true
    /// The value of FlagDefault in Matroska: whether it is to be played where the user does not choose.
    package var isDefault = true
    /// The identifier of the track that this one enhances, by the track reference `vdep`.
    package var baseTrack: UInt64?
    /// The nine numbers of the track header's matrix, in 16.16 and 2.30 fixed point; empty in Matroska.
    package var matrix: [Int32] = []

    /// Whether the track contains only the residual of a Dolby Vision enhancement layer for another track's picture,
    /// which is a grey picture by itself.
    package var isEnhancementLayer: Bool {
        hdr.dolbyVision.map { $0.hasEnhancementLayer && !$0.hasBaseLayer } ?? false
    }

    package subscript<Value>(dynamicMember value: WritableKeyPath<HDRBoxValues, Value>) -> Value {
        get { hdr[keyPath: value] }
        set { hdr[keyPath: value] = newValue }
    }

    init(index: Int, identifier: UInt64, codec: String, width: UInt64, height: UInt64) {
        self.index = index
        self.identifier = identifier
        self.codec = codec
        self.width = width
        self.height = height
    }
}
