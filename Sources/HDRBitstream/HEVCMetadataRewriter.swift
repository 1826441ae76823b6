import HDRMetadata

/// Writes HDR metadata and the colour description into an HEVC stream, one access unit at a time: H.265 annexes D and
/// E.
///
/// Static HDR messages (SEI 137, 144, 147, 148) of the stream are removed everywhere, and those of the settings are
/// written once in each random access point. Everything else is kept byte for byte: pictures, other messages, and an
/// SPS except for its colour.
package struct HEVCMetadataRewriter: Sendable {
    /// The metadata to write into the stream.
    package struct Settings: Equatable, Sendable {
        /// AVFoundation's HDRMetadataInsertionMode.
        package enum Insertion: Equatable, Sendable {
            /// The static messages are written.
            case auto
            /// All static messages are removed.
            case none
        }

        package enum DynamicMetadata: Equatable, Sendable {
            case keep
            case strip
        }

        package enum ColorPolicy: Equatable, Sendable {
            /// Only values that are unspecified in the SPS are written.
            case fillUnspecified
            /// The values of the SPS are replaced.
            case replace
        }

        package var insertion = Insertion.auto
        package var masteringDisplay: MasteringDisplay?
        package var contentLightLevel: ContentLightLevel?
        package var ambientViewing: AmbientViewing?
        /// preferred_transfer_characteristics of SEI 147, a code point of H.273; 18 in HLG that an SPS calls BT.2020.
        package var preferredTransfer: UInt8?
        /// chroma_sample_loc_type of the VUI, 0...5; `nil` keeps what is there. Only 4:2:0 has one.
        package var chromaLocation: UInt8?
        /// Colour and range of the VUI; `nil` keeps what is there. Its chroma location is ignored.
        package var color: ColorDescription?
        package var colorPolicy = ColorPolicy.fillUnspecified
        /// HDR10+: user data of SMPTE ST 2094-40 in SEI 4.
        package var hdr10Plus = DynamicMetadata.keep
        /// Dolby Vision: NAL units 62, the RPU, and 63, the enhancement layer.
        package var dolbyVision = DynamicMetadata.keep

        package init() {}

        /// Why the settings cannot be written; `nil` where they can.
        package var defect: String? {
            if let chromaLocation, chromaLocation > 5 {
                return "chroma location \(chromaLocation) does not exist: use 0 (left) to 5 (bottom), or none"
            }
            return nil
        }
    }

    /// Change it with `change(to:)`, also in mid-stream.
    package private(set) var settings: Settings
    /// The NAL unit framing of access units; a changed `hvcC` may change it.
    package var framing: NALFraming
    /// The static messages as escaped NAL units, in the order of their types.
    private var messages: [[UInt8]]

    /// - Throws: where the settings are invalid.
    package init(_ settings: Settings = Settings(), framing: NALFraming) throws(BitstreamError) {
        self.settings = Settings()
        self.framing = framing
        messages = []
        try change(to: settings)
    }

    /// Takes effect at the next access unit; messages at the next random access point.
    package mutating func change(to settings: Settings) throws(BitstreamError) {
        if let defect = settings.defect { throw BitstreamError(defect) }
        self.settings = settings
        messages = Self.units(of: settings)
    }

    /// The rewritten access unit; `nil` where nothing changes.
    ///
    /// Throws where NAL units are truncated, and where an SPS that must change cannot be parsed. The memory is not
    /// kept.
    package func rewrite(_ accessUnit: UnsafeRawBufferPointer) throws(BitstreamError) -> [UInt8]? {
        var changes: [NALUnitChange] = []
        var firstPicture: Int?
        var isStart = false
        let start = try repeatedHeaders(accessUnit)
        var reader = NALReader(accessUnit, framing: framing)
        while let unit = try reader.next() {
            guard let type = unit.hevcType else { continue }
            if unit.framed.lowerBound < start {
                if type != HEVCUnitType.delimiter {
                    changes.append(NALUnitChange(range: unit.framed, outcome: .remove))
                }
                continue
            }
            if HEVCUnitType.slices.contains(type), unit.hevcLayer == 0 {
                firstPicture = firstPicture ?? unit.framed.lowerBound
                if HEVCUnitType.intraRandomAccess.contains(type) { isStart = true }
            }
            let outcome = try outcome(of: unit, type: type, in: accessUnit)
            if outcome != .keep { changes.append(NALUnitChange(range: unit.framed, outcome: outcome)) }
        }
        if isStart, let firstPicture, !messages.isEmpty {
            let place = changes.firstIndex { $0.range.lowerBound >= firstPicture } ?? changes.count
            changes.insert(NALUnitChange(range: firstPicture..<firstPicture, outcome: .insert(messages)), at: place)
        }
        if changes.isEmpty { return nil }
        let result = try NALUnitChange.apply(changes, to: accessUnit, framing: framing)
        return result.elementsEqual(accessUnit) ? nil : result
    }

    /// Rewrites an access unit that is given as an array.
    package func rewrite(_ accessUnit: [UInt8]) throws(BitstreamError) -> [UInt8]? {
        try accessUnit.withRawBytes { (bytes) throws(BitstreamError) in try rewrite(bytes) }
    }

    /// The rewritten `hvcC` record: the colour of its SPS, and the static messages in an array of prefix SEI. `nil`
    /// where nothing changes.
    package func rewriteConfiguration(_ record: UnsafeRawBufferPointer) throws(BitstreamError) -> [UInt8]? {
        var configuration = try HEVCConfigurationRecord(record)
        var arrays: [HEVCConfigurationRecord.Units] = []
        for array in configuration.arrays {
            var kept = array
            kept.units = []
            for unit in array.units {
                let outcome = try unit.withRawBytes { (bytes) throws(BitstreamError) in
                    try self.outcome(of: array.type, bytes)
                }
                switch outcome {
                case .keep: kept.units.append(unit)
                case .replace(let changed): kept.units.append(changed)
                case .remove, .insert: break
                }
            }
            let isFilled = array.type == HEVCUnitType.prefixSEI && !messages.isEmpty
            if !kept.units.isEmpty || array.units.isEmpty || isFilled { arrays.append(kept) }
        }
        if !messages.isEmpty {
            let place = arrays.firstIndex { $0.type == HEVCUnitType.prefixSEI } ?? arrays.count
            if place == arrays.count {
                arrays.append(.init(isComplete: false, type: HEVCUnitType.prefixSEI, units: []))
            }
            arrays[place].units += messages
            // The messages are in the stream too.
            arrays[place].isComplete = false
        }
        if arrays == configuration.arrays { return nil }
        configuration.arrays = arrays
        return try configuration.bytes()
    }

    /// Rewrites a configuration record that is given as an array.
    package func rewriteConfiguration(_ record: [UInt8]) throws(BitstreamError) -> [UInt8]? {
        try record.withRawBytes { (bytes) throws(BitstreamError) in try rewriteConfiguration(bytes) }
    }
}

extension HEVCMetadataRewriter {
    /// The offset at which the parameter sets of a random access point begin for the second time, or 0. x265 writes its
    /// headers in front of the first picture's own; the last message of the former is followed by uninitialised memory,
    /// which may hold anything, start codes included.
    private func repeatedHeaders(_ accessUnit: UnsafeRawBufferPointer) throws(BitstreamError) -> Int {
        var sets = 0
        var last = 0
        var reader = NALReader(accessUnit, framing: framing)
        while let unit = try reader.next() {
            guard let type = unit.hevcType, unit.hevcLayer == 0 else { continue }
            if type == HEVCUnitType.vps {
                sets += 1
                last = unit.framed.lowerBound
            }
            if HEVCUnitType.intraRandomAccess.contains(type) { return sets > 1 ? last : 0 }
        }
        return 0
    }

    private static func units(of settings: Settings) -> [[UInt8]] {
        guard settings.insertion == .auto else { return [] }
        let wanted: [(Int, [UInt8]?)] = [
            (SEIType.masteringDisplay, settings.masteringDisplay?.payload),
            (SEIType.contentLightLevel, settings.contentLightLevel?.payload),
            (SEIType.alternativeTransfer, settings.preferredTransfer.map { [$0] }),
            (SEIType.ambientViewing, settings.ambientViewing?.payload),
        ]
        return wanted.compactMap { type, payload in
            // One unit for each message, as encoders write them. nuh_layer_id 0, nuh_temporal_id_plus1 1.
            payload.map { SEIMessages.unit(header: [HEVCUnitType.prefixSEI << 1, 1], [(type, $0)]) }
        }
    }

    private var colorEdit: VUIColorEdit {
        VUIColorEdit(
            color: settings.color, replaces: settings.colorPolicy == .replace, chromaLocation: settings.chromaLocation)
    }

    private func outcome(
        of unit: NALUnit, type: UInt8, in bytes: UnsafeRawBufferPointer
    ) throws(BitstreamError) -> NALUnitChange.Outcome {
        // The SPS of higher layers has another syntax.
        if type == HEVCUnitType.sps, unit.hevcLayer != 0 { return .keep }
        return try outcome(of: type, bytes.part(unit.content))
    }

    private func outcome(
        of type: UInt8, _ unit: UnsafeRawBufferPointer
    ) throws(BitstreamError) -> NALUnitChange.Outcome {
        switch type {
        case HEVCUnitType.sps:
            let edit = colorEdit
            if edit.isEmpty { return .keep }
            return try edit.applied(to: unit).map { .replace($0) } ?? .keep
        case HEVCUnitType.prefixSEI, HEVCUnitType.suffixSEI: return outcome(ofSEI: unit)
        case HEVCUnitType.dolbyVisionRPU, HEVCUnitType.dolbyVisionLayer:
            return settings.dolbyVision == .strip ? .remove : .keep
        default: return .keep
        }
    }

    private func outcome(ofSEI unit: UnsafeRawBufferPointer) -> NALUnitChange.Outcome {
        let sei = SEIMessages(unit, headerSize: 2)
        // A truncated message is treated as its type.
        let tailGoes = sei.typeOfTail.map { SEIType.isStaticHDR($0) } ?? false
        return sei.changed(dropsTail: tailGoes) { isUnwanted($0.type, sei.payload(of: $0)) ? .remove : .keep }
    }

    private func isUnwanted(_ type: Int, _ payload: ArraySlice<UInt8>) -> Bool {
        if SEIType.isStaticHDR(type) { return true }
        return type == SEIType.registeredUserData && settings.hdr10Plus == .strip
            && RegisteredUserData(payload) == .hdr10Plus
    }
}
