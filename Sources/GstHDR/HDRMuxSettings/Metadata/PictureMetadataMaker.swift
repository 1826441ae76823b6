import GstBridge
import HDRBitstream
import HDRColor
import HDRExport
import HDRMetadata

/// Makes the dynamic metadata of an export's pictures according to its plan: copied from the source, or measured.
struct PictureMetadataMaker {
    private let plan: DynamicMetadataPlan
    private(set) var geometry: FrameGeometry
    /// The size in pixels of the pictures that the bin gets.
    private var source: FrameSize
    /// The rotation that was applied before the bin.
    private let turn: Orientation
    /// The changes that elements before the bin have made to the pictures.
    var history = PictureHistory()
    private let isHLG: Bool
    private let metadata: StaticMetadata
    private var measured: MeasuredLight
    /// The last RPU that was written, which is repeated for pictures without one of their own; before the first one
    /// that of the next picture that has one.
    private var last: DolbyVisionRPU?
    /// Why metadata could not be read, as text for a warning.
    private(set) var problem: String?

    /// - Parameters:
    ///   - source: the size of the source's pictures in pixels; `nil` where it is unknown.
    ///   - turn: the rotation that was applied before the bin.
    ///   - interval: the time from one picture to the next, in s.
    init(_ plan: VideoPlan, source: FrameSize?, turn: Orientation = Orientation(), interval: Double) {
        self.turn = turn
        self.plan = plan.metadata.dynamic
        geometry = plan.geometry
        self.source = source ?? plan.geometry.frame
        isHLG = plan.color.dynamicRange == .hlg
        metadata = plan.metadata.known
        measured = MeasuredLight(interval: interval)
    }

    /// Fills the first pictures, where they have no RPU of their own, with that of the next one.
    /// - Parameter first: the Dolby Vision metadata among the first pictures.
    mutating func begin(with first: [BufferMetadata]) {
        for own in first {
            guard var rpu = try? DolbyVisionRPU(payload: own.payload.bytes) else { continue }
            follow(&rpu, own)
            last = rpu
            return
        }
    }

    /// Whether any metadata are written.
    var isNeeded: Bool { plan.action != .strip && !plan.formats.isEmpty }

    /// Whether a picture's light has to be measured for a format.
    func measures(_ format: DynamicMetadataFormat, _ metadata: [BufferMetadata]) -> Bool {
        guard isNeeded, plan.formats.contains(format) else { return false }
        guard let own = metadata.first(where: { $0.payload.format == format.payloadFormat }) else {
            return plan.action != .preserve
        }
        return !keeps(own)
    }

    /// Whether a picture's own metadata still describe it.
    private func keeps(_ own: BufferMetadata) -> Bool {
        plan.action != .recompute && !own.isStale && !history.isCropped(described(by: own), to: source)
    }

    /// The size of the picture that metadata describe.
    private func described(by own: BufferMetadata) -> FrameSize {
        history.described(FrameSize(own.width, own.height))
    }

    /// Adapts the geometry to pictures of another size.
    /// - Parameter planned: the geometry that was planned for the first size.
    mutating func take(_ told: SourceSize, _ planned: FrameGeometry) {
        take(planned.fitting(told.size, pixelAspect: told.pixelAspect), of: told.size)
    }

    mutating func take(_ geometry: FrameGeometry, of source: FrameSize) {
        self.geometry = geometry
        self.source = source
    }

    /// The black bars around the content of an encoded picture, in pixels.
    /// - Parameter own: the metadata of its source, whose level 5 gives the bars of the source.
    func bars(of own: BufferMetadata?) -> FrameInsets {
        let rpu = own.flatMap { try? DolbyVisionRPU(payload: $0.payload.bytes) }
        let area = area(rpu?.displayManagement?.level5, own)
        return FrameInsets(
            left: Int(area.left), top: Int(area.top), right: Int(area.right), bottom: Int(area.bottom))
    }

    /// The active area of an encoded picture.
    private func area(_ level: DolbyVisionRPU.Level5?, _ own: BufferMetadata?) -> ActiveArea {
        var area = ActiveArea(level)
        let described = own.map { self.described(by: $0) } ?? FrameSize(0, 0)
        if let known = history.area(area, of: described) {
            area = known
        } else {
            area.turn(by: turn.rotation, isMirrored: turn.isMirrored)
            area = area.following(from: turn.isTransposed ? described.transposed : described, to: source)
        }
        return area.following(geometry, from: source)
    }

    /// The metadata of a picture.
    /// - Parameters:
    ///   - metadata: the metadata that it has from its source.
    ///   - light: the light for Dolby Vision, without the borders that scaling adds; `nil` where it was not measured.
    ///   - distribution: the light for HDR10+, without these borders; `nil` where it was not measured.
    ///   - structure: the structure of the picture; `nil` where it is unknown.
    ///   - isJoint: whether another source begins with this picture.
    mutating func payloads(
        _ metadata: [BufferMetadata], _ light: LightStatistics?, _ distribution: PQDistribution?,
        _ structure: PictureStructure? = nil, isJoint: Bool = false
    ) -> [DynamicMetadataPayload] {
        if let light { measured.add(light, structure, isJoint: isJoint) }
        var payloads: [DynamicMetadataPayload] = []
        for format in DynamicMetadataFormat.allCases where plan.formats.contains(format) {
            let own = metadata.first { $0.payload.format == format.payloadFormat }
            switch format {
            case .dolbyVision:
                if let rpu = rpu(own, isMeasured: light != nil) {
                    payloads.append(DynamicMetadataPayload(.dolbyVision, rpu))
                }
            case .hdr10Plus:
                if let own, keeps(own) {
                    payloads.append(own.payload)
                } else if let distribution, let made = try? HDR10PlusMetadata(distribution).payload {
                    payloads.append(DynamicMetadataPayload(.hdr10Plus, made))
                }
            case .st209450:
                if let own, keeps(own) { payloads.append(own.payload) }
            }
        }
        return payloads
    }

    // MARK: Dolby Vision

    private mutating func rpu(_ own: BufferMetadata?, isMeasured: Bool) -> [UInt8]? {
        do {
            let rpu = try own.map { (own) throws(BitstreamError) in try DolbyVisionRPU(payload: own.payload.bytes) }
            if let own, keeps(own), var kept = rpu {
                let isChanged = follow(&kept, own)
                last = kept
                return isChanged ? try kept.payload() : own.payload.bytes
            }
            var result = rpu ?? last ?? authored()
            if isMeasured, let light = measured.light { result.setLight(light, beginsShot: measured.beginsShot) }
            if isMeasured { follow(&result, own) }
            last = result
            return try result.payload()
        } catch {
            problem = problem ?? error.message
            guard let last else { return nil }
            return try? last.payload()
        }
    }

    /// Adapts an RPU to another profile or another picture.
    /// - Returns: whether it has changed.
    @discardableResult
    private func follow(_ rpu: inout DolbyVisionRPU, _ own: BufferMetadata?) -> Bool {
        var isChanged = false
        if let profile = rpu.signaledProfile, [5, 7].contains(profile) {
            rpu.convertToProfile81()
            isChanged = true
        }
        guard rpu.displayManagement != nil else { return isChanged }
        let old = rpu.displayManagement?.level5
        // The bars in another picture's RPU do not apply to this one.
        let new = area(own == nil ? nil : old, own).level5
        guard new != old ?? DolbyVisionRPU.Level5() else { return isChanged }
        rpu.displayManagement?.level5 = new
        return true
    }

    private func authored() -> DolbyVisionRPU {
        let neutral = DolbyVisionRPU.Level1(minimumPQ: 0, maximumPQ: 3079, averagePQ: 1229)
        if isHLG { return .profile84(level1: neutral, beginsScene: true) }
        let level6 = metadata.masteringDisplay.map { display in
            var level = DolbyVisionRPU.Level6()
            level.maximumMasteringLuminance = UInt16(clamping: Int(min(display.peak, PQ.peak).rounded()))
            level.minimumMasteringLuminance = UInt16(clamping: display.minimum)
            level.maximumContentLightLevel = metadata.contentLightLevel?.maximum ?? 0
            level.maximumFrameAverageLightLevel = metadata.contentLightLevel?.frameAverage ?? 0
            return level
        }
        return .profile81(level1: neutral, level6: level6, beginsScene: true)
    }
}

extension DynamicMetadataFormat {
    var payloadFormat: DynamicMetadataPayload.Format {
        switch self {
        case .dolbyVision: .dolbyVision
        case .hdr10Plus: .hdr10Plus
        case .st209450: .st209450
        }
    }
}

extension ActiveArea {
    init(_ level: DolbyVisionRPU.Level5?) {
        self.init(
            left: Double(level?.left ?? 0), right: Double(level?.right ?? 0), top: Double(level?.top ?? 0),
            bottom: Double(level?.bottom ?? 0))
    }

    var level5: DolbyVisionRPU.Level5 {
        func pixels(_ value: Double) -> UInt16 { UInt16(min(max(value, 0), 8191).rounded()) }
        var level = DolbyVisionRPU.Level5()
        (level.left, level.right) = (pixels(left), pixels(right))
        (level.top, level.bottom) = (pixels(top), pixels(bottom))
        return level
    }
}

extension DolbyVisionRPU {
    /// Sets the light of another picture. Trims are removed, since a colourist made them for the light that was there.
    fileprivate mutating func setLight(_ light: MeasuredLight.Light, beginsShot: Bool) {
        if displayManagement == nil { displayManagement = DisplayManagement() }
        let version: ContentMapping = displayManagement?.extendedBlocks == nil ? .version29 : .version40
        let level1 = Level1(light, for: version)
        displayManagement?.level1 = level1
        if var level4 = displayManagement?.level4 {
            level4.anchorPQ = level1.averagePQ
            displayManagement?.level4 = level4
        }
        for level in [2, 3, 8] as [UInt8] { displayManagement?.remove(level: level) }
        displayManagement?.sceneRefreshFlag = beginsShot ? 1 : 0
    }
}
