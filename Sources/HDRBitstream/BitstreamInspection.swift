import HDRMetadata

/// The colour description and HDR metadata of a compressed video stream, gathered from its configuration record and its
/// access units. Later values replace earlier ones.
package struct BitstreamInspection: Equatable, Sendable {
    package enum Codec: Equatable, Sendable {
        case hevc
        case avc
        case proRes
        case av1
        case vp9
    }

    package let codec: Codec
    /// The NAL unit framing of HEVC's and H.264's access units. A configuration record sets it.
    package var framing: NALFraming

    /// The colour description in the VUI, the frame header or the sequence header.
    package var color = ColorDescription.unspecified
    package var masteringDisplay: MasteringDisplay?
    package var contentLightLevel: ContentLightLevel?
    package var ambientViewing: AmbientViewing?
    /// preferred_transfer_characteristics of SEI 147, a code point of H.273, which displays that support it should use.
    package var alternativeTransfer: UInt8?

    /// Luma samples, after cropping; `nil` before anything was read.
    package var width: Int?
    package var height: Int?
    /// Bits of a luma and of a chroma sample.
    package var lumaDepth: UInt8?
    package var chromaDepth: UInt8?
    /// chroma_format_idc: 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
    package var chromaFormat: UInt8?
    /// The name of the profile, such as "Main 10", and of the level, such as "5.1", which ProRes does not have.
    package var profileName: String?
    package var levelName: String?

    /// SMPTE ST 2094-40.
    package var hasHDR10Plus = false
    /// SMPTE ST 2094-50.
    package var hasST209450 = false
    /// The last message of that kind that could be read.
    package var st209450: ST209450Metadata?
    package var hasDolbyVisionRPU = false
    /// Whether an RPU of an HEVC stream is whole, so that it can be applied to pictures.
    package var hasReadableRPU = false
    /// The Dolby Vision profile 5, 7, 8 or, in AV1, 10; `nil` where it cannot be inferred from the RPU.
    package var dolbyVisionProfile: UInt8?
    /// Whether the pictures are base layers in IPTPQc2, which are green and purple without their RPUs: profile 5, and
    /// 10.0 in AV1.
    package var needsDolbyVision = false
    /// NAL units 63 of Dolby Vision profile 7.
    package var hasEnhancementLayer = false

    package init(codec: Codec, framing: NALFraming = .byteStream) {
        self.codec = codec
        self.framing = framing
    }

    /// The colour description that displays should use.
    package var displayColor: ColorDescription {
        var result = color
        if let alternativeTransfer { result.transfer = alternativeTransfer }
        return result
    }

    package var staticMetadata: StaticMetadata {
        StaticMetadata(masteringDisplay: masteringDisplay, contentLightLevel: contentLightLevel)
    }

    /// Reads `hvcC`, `avcC` or `av1C`, the caps field `codec_data`. ProRes and VP9 have none.
    package mutating func read(configuration: UnsafeRawBufferPointer) throws(BitstreamError) {
        switch codec {
        case .hevc: try readHEVC(configuration: configuration)
        case .avc: try readAVC(configuration: configuration)
        case .av1: try readAV1(configuration: configuration)
        // The box vpcC has more than frames can carry, and is read with the container.
        case .proRes, .vp9: break
        }
    }

    /// Reads an access unit: HEVC and H.264 in the framing, a ProRes frame, a VP9 frame or superframe, or an
    /// AV1 temporal unit of OBUs with sizes.
    ///
    /// Where a part cannot be parsed, the rest of the unit is still read before the error is thrown.
    package mutating func read(accessUnit: UnsafeRawBufferPointer) throws(BitstreamError) {
        switch codec {
        case .hevc: try readHEVC(accessUnit: accessUnit)
        case .avc: try readAVC(accessUnit: accessUnit)
        case .av1: try readAV1(units: accessUnit)
        case .proRes: try readProRes(accessUnit)
        case .vp9: try readVP9(accessUnit)
        }
    }

    package mutating func read(configuration: [UInt8]) throws(BitstreamError) {
        try configuration.withRawBytes { (bytes) throws(BitstreamError) in try read(configuration: bytes) }
    }

    package mutating func read(accessUnit: [UInt8]) throws(BitstreamError) {
        try accessUnit.withRawBytes { (bytes) throws(BitstreamError) in try read(accessUnit: bytes) }
    }

    /// User data registered by ITU-T T.35 of SMPTE.
    mutating func adopt(_ kind: RegisteredUserData, _ payload: some Collection<UInt8>) {
        switch kind {
        case .hdr10Plus: hasHDR10Plus = true
        case .adaptiveToneMap:
            hasST209450 = true
            st209450 = (try? ST209450Metadata(payload: Array(payload))) ?? st209450
        case .dolbyVision, .other: break
        }
    }

    private mutating func readProRes(_ frame: UnsafeRawBufferPointer) throws(BitstreamError) {
        let header = try ProResFrameHeader(frame)
        color = header.color
        (width, height) = (header.width, header.height)
        (lumaDepth, chromaDepth) = (header.bitDepth, header.bitDepth)
        chromaFormat = header.chromaFormat.rawValue
        profileName = header.profileName
    }

    /// Reads the header of a key frame; other frames do not have it.
    private mutating func readVP9(_ frame: UnsafeRawBufferPointer) throws(BitstreamError) {
        guard let header = try VP9FrameHeader(frame) else { return }
        color = header.color
        (width, height) = (header.width, header.height)
        (lumaDepth, chromaDepth) = (header.bitDepth, header.bitDepth)
        chromaFormat = header.chromaFormat
        profileName = "profile \(header.profile)"
    }
}
