/// Element IDs of EBML (RFC 8794) and Matroska (RFC 9559).
enum MatroskaID {
    static let ebml: UInt32 = 0x1a45_dfa3
    static let timestampScale: UInt32 = 0x2a_d7b1
    static let duration: UInt32 = 0x4489
    static let defaultDuration: UInt32 = 0x23_e383
    static let simpleBlock: UInt32 = 0xa3
    static let blockGroup: UInt32 = 0xa0
    static let block: UInt32 = 0xa1
    static let blockAdditions: UInt32 = 0x75a1
    static let blockMore: UInt32 = 0xa6
    static let blockAddID: UInt32 = 0xee
    static let blockAdditional: UInt32 = 0xa5
    static let blockAddIDValue: UInt32 = 0x41f0
    static let docType: UInt32 = 0x4282
    static let docTypeVersion: UInt32 = 0x4287
    static let void: UInt32 = 0xec
    static let crc32: UInt32 = 0xbf

    static let segment: UInt32 = 0x1853_8067
    static let seekHead: UInt32 = 0x114d_9b74
    static let seek: UInt32 = 0x4dbb
    static let seekID: UInt32 = 0x53ab
    static let seekPosition: UInt32 = 0x53ac
    static let info: UInt32 = 0x1549_a966
    static let tracks: UInt32 = 0x1654_ae6b
    static let cluster: UInt32 = 0x1f43_b675
    static let clusterTimestamp: UInt32 = 0xe7
    static let clusterPosition: UInt32 = 0xa7
    static let cues: UInt32 = 0x1c53_bb6b
    static let cuePoint: UInt32 = 0xbb
    static let cueTrackPositions: UInt32 = 0xb7
    static let cueClusterPosition: UInt32 = 0xf1
    static let cueCodecState: UInt32 = 0xea
    static let chapters: UInt32 = 0x1043_a770
    static let tags: UInt32 = 0x1254_c367
    static let attachments: UInt32 = 0x1941_a469

    /// The elements directly below the Segment. None of them occurs in a Cluster, so that each one ends a Cluster of
    /// unknown size.
    static let topLevel: Set<UInt32> = [seekHead, info, tracks, cluster, cues, chapters, tags, attachments]

    static let trackEntry: UInt32 = 0xae
    static let trackNumber: UInt32 = 0xd7
    static let flagEnabled: UInt32 = 0xb9
    static let flagDefault: UInt32 = 0x88
    static let trackType: UInt32 = 0x83
    static let codecID: UInt32 = 0x86
    static let language: UInt32 = 0x22b59c
    static let languageBCP47: UInt32 = 0x22b59d
    static let codecDelay: UInt32 = 0x56aa
    static let codecPrivate: UInt32 = 0x63a2
    static let blockAdditionMapping: UInt32 = 0x41e4
    static let blockAddIDName: UInt32 = 0x41a4
    static let blockAddIDType: UInt32 = 0x41e7
    static let blockAddIDExtraData: UInt32 = 0x41ed

    static let video: UInt32 = 0xe0
    static let pixelWidth: UInt32 = 0xb0
    static let pixelHeight: UInt32 = 0xba
    static let displayWidth: UInt32 = 0x54b0
    static let displayHeight: UInt32 = 0x54ba
    static let displayUnit: UInt32 = 0x54b2
    static let projection: UInt32 = 0x7670
    static let projectionType: UInt32 = 0x7671
    static let projectionPoseYaw: UInt32 = 0x7673
    static let projectionPosePitch: UInt32 = 0x7674
    static let projectionPoseRoll: UInt32 = 0x7675

    static let colour: UInt32 = 0x55b0
    static let matrixCoefficients: UInt32 = 0x55b1
    static let chromaSitingHorz: UInt32 = 0x55b7
    static let chromaSitingVert: UInt32 = 0x55b8
    static let range: UInt32 = 0x55b9
    static let transferCharacteristics: UInt32 = 0x55ba
    static let primaries: UInt32 = 0x55bb
    static let maxCLL: UInt32 = 0x55bc
    static let maxFALL: UInt32 = 0x55bd
    static let masteringMetadata: UInt32 = 0x55d0
    /// The chromaticities of red, green, blue and white, x before y, then the maximum and the minimum luminance.
    static let masteringValues: [UInt32] = Array(0x55d1...0x55da)
}
