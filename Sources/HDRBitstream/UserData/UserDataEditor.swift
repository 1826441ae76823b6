import HDRMetadata

/// Finds one kind of user data registered by ITU-T T.35 in access units, such as HDR10+ metadata, and puts others in
/// its place. Everything else is kept byte for byte.
package struct UserDataEditor: Equatable, Sendable {
    package enum Stream: Equatable, Sendable {
        /// SEI messages of type 4: H.265 D.2.6.
        case hevc(NALFraming)
        /// Metadata OBUs of type 4 in temporal units of the low-overhead format: AV1 5.8.2.
        case av1
    }

    package let kind: RegisteredUserData
    package let stream: Stream

    package init(_ kind: RegisteredUserData, in stream: Stream) {
        self.kind = kind
        self.stream = stream
    }

    /// The payloads of an access unit or temporal unit, from their country codes on, in the order of the stream. The
    /// memory is not kept.
    ///
    /// Throws where NAL units or OBUs are cut off.
    package func payloads(in accessUnit: UnsafeRawBufferPointer) throws(BitstreamError) -> [[UInt8]] {
        switch stream {
        case .hevc(let framing): try payloads(ofHEVC: accessUnit, framing)
        case .av1: try payloads(ofAV1: accessUnit)
        }
    }

    /// The access unit with this payload, or with none; `nil` where it is like that already.
    ///
    /// A message that is there is replaced at its place, and further ones of the kind are removed. Where there is none,
    /// the message goes in front of the picture: into a NAL unit of its own before the first slice, or into an OBU
    /// before the first frame that is shown. The memory is not kept.
    ///
    /// Throws where NAL units or OBUs are cut off, and where there is no picture to put a message in front of.
    package func setting(
        _ payload: [UInt8]?, in accessUnit: UnsafeRawBufferPointer
    ) throws(BitstreamError) -> [UInt8]? {
        switch stream {
        case .hevc(let framing): try setting(payload, inHEVC: accessUnit, framing)
        case .av1: try setting(payload, inAV1: accessUnit)
        }
    }

    /// Reads the payloads in an access unit that is given as an array.
    package func payloads(in accessUnit: [UInt8]) throws(BitstreamError) -> [[UInt8]] {
        try accessUnit.withRawBytes { (bytes) throws(BitstreamError) in try payloads(in: bytes) }
    }

    /// Sets the payload in an access unit that is given as an array.
    package func setting(_ payload: [UInt8]?, in accessUnit: [UInt8]) throws(BitstreamError) -> [UInt8]? {
        try accessUnit.withRawBytes { (bytes) throws(BitstreamError) in try setting(payload, in: bytes) }
    }
}

// MARK: HEVC

extension UserDataEditor {
    /// A payload as an escaped NAL unit: a prefix SEI of nuh_layer_id 0.
    /// - Parameter temporalID: nuh_temporal_id_plus1 of the picture, which its SEI have too (H.265 7.4.2.2).
    package static func hevcUnit(_ payload: [UInt8], temporalID: UInt8 = 1) -> [UInt8] {
        SEIMessages.unit(header: [HEVCUnitType.prefixSEI << 1, temporalID], [(SEIType.registeredUserData, payload)])
    }

    private func isWanted(_ message: SEIMessages.Message, of sei: SEIMessages) -> Bool {
        message.type == SEIType.registeredUserData && RegisteredUserData(sei.payload(of: message)) == kind
    }

    private func payloads(
        ofHEVC bytes: UnsafeRawBufferPointer, _ framing: NALFraming
    ) throws(BitstreamError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var reader = NALReader(bytes, framing: framing)
        while let unit = try reader.next() {
            guard unit.isSEI else { continue }
            let sei = SEIMessages(bytes.part(unit.content), headerSize: 2)
            for message in sei.messages where isWanted(message, of: sei) {
                found.append(Array(sei.payload(of: message)))
            }
        }
        return found
    }

    private func setting(
        _ payload: [UInt8]?, inHEVC bytes: UnsafeRawBufferPointer, _ framing: NALFraming
    ) throws(BitstreamError) -> [UInt8]? {
        var changes: [NALUnitChange] = []
        var firstPicture: NALUnit?
        // The payload that has not been written yet.
        var waiting = payload
        var reader = NALReader(bytes, framing: framing)
        while let unit = try reader.next() {
            if let type = unit.hevcType, HEVCUnitType.slices.contains(type), unit.hevcLayer == 0 {
                firstPicture = firstPicture ?? unit
            }
            guard unit.isSEI else { continue }
            let sei = SEIMessages(bytes.part(unit.content), headerSize: 2)
            let outcome = sei.changed { message in
                guard isWanted(message, of: sei) else { return .keep }
                defer { waiting = nil }
                guard let waiting else { return .remove }
                return sei.payload(of: message).elementsEqual(waiting) ? .keep : .replace(waiting)
            }
            if outcome != .keep { changes.append(NALUnitChange(range: unit.framed, outcome: outcome)) }
        }
        if let waiting {
            guard let firstPicture else {
                throw BitstreamError("access unit has no picture that metadata could be put in front of")
            }
            // A single insertion is the only change.
            let unit = Self.hevcUnit(waiting, temporalID: max(firstPicture.header.1 & 7, 1))
            let start = firstPicture.framed.lowerBound
            changes = [NALUnitChange(range: start..<start, outcome: .insert([unit]))]
        }
        return changes.isEmpty ? nil : try NALUnitChange.apply(changes, to: bytes, framing: framing)
    }
}

extension NALUnit {
    fileprivate var isSEI: Bool { hevcType == HEVCUnitType.prefixSEI || hevcType == HEVCUnitType.suffixSEI }
}
