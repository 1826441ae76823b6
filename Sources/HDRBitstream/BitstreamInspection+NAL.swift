import HDRMetadata

// HEVC and H.264, whose parameter sets differ and whose SEI messages are the same.
extension BitstreamInspection {
    mutating func readHEVC(configuration: UnsafeRawBufferPointer) throws(BitstreamError) {
        let record = try HEVCConfigurationRecord(configuration)
        framing = record.framing
        adopt(record)
        var failure: BitstreamError?
        for array in record.arrays {
            for unit in array.units {
                unit.withRawBytes { readHEVC(unit: $0, type: array.type, layer: 0, &failure) }
            }
        }
        if let failure { throw failure }
    }

    mutating func readHEVC(accessUnit: UnsafeRawBufferPointer) throws(BitstreamError) {
        var failure: BitstreamError?
        var reader = NALReader(accessUnit, framing: framing)
        while let unit = try reader.next() {
            guard let type = unit.hevcType, !HEVCUnitType.slices.contains(type) else { continue }
            readHEVC(unit: accessUnit.part(unit.content), type: type, layer: unit.hevcLayer, &failure)
        }
        if let failure { throw failure }
    }

    private mutating func readHEVC(
        unit: UnsafeRawBufferPointer, type: UInt8, layer: UInt8, _ failure: inout BitstreamError?
    ) {
        switch type {
        case HEVCUnitType.sps where layer == 0:
            do { adopt(try HEVCSequenceParameterSet(unit: unit)) } catch { failure = failure ?? error }
        case HEVCUnitType.prefixSEI, HEVCUnitType.suffixSEI: adopt(SEIMessages(unit, headerSize: 2))
        case HEVCUnitType.dolbyVisionRPU:
            guard let header = DolbyVisionRPU.Header(nalUnit: unit) else { return }
            hasDolbyVisionRPU = true
            hasReadableRPU = hasReadableRPU || (try? DolbyVisionRPU(nalUnit: unit)) != nil
            dolbyVisionProfile = header.signaledProfile ?? dolbyVisionProfile
            needsDolbyVision = dolbyVisionProfile == 5
        case HEVCUnitType.dolbyVisionLayer: hasEnhancementLayer = true
        default: break
        }
    }

    mutating func readAVC(configuration: UnsafeRawBufferPointer) throws(BitstreamError) {
        let record = try AVCConfigurationRecord(configuration)
        framing = record.framing
        for unit in record.sequenceSets {
            adopt(try unit.withRawBytes { (bytes) throws(BitstreamError) in try AVCSequenceParameterSet(unit: bytes) })
        }
    }

    mutating func readAVC(accessUnit: UnsafeRawBufferPointer) throws(BitstreamError) {
        var failure: BitstreamError?
        var reader = NALReader(accessUnit, framing: framing)
        while let unit = try reader.next() {
            let content = accessUnit.part(unit.content)
            switch unit.avcType {
            case AVCUnitType.sps?:
                do { adopt(try AVCSequenceParameterSet(unit: content)) } catch { failure = failure ?? error }
            case AVCUnitType.sei?: adopt(SEIMessages(content, headerSize: 1))
            default: break
            }
        }
        if let failure { throw failure }
    }

    private mutating func adopt(_ record: HEVCConfigurationRecord) {
        lumaDepth = record.lumaDepth
        chromaDepth = record.chromaDepth
        chromaFormat = record.chromaFormat
        profileName = record.profile.name
        levelName = record.profile.levelName
    }

    private mutating func adopt(_ sps: some SequenceParameterSet) {
        color = sps.color
        (width, height) = (sps.width, sps.height)
        (lumaDepth, chromaDepth) = (sps.lumaDepth, sps.chromaDepth)
        chromaFormat = sps.chromaFormat
        profileName = sps.profileName
        levelName = sps.levelName
    }

    /// Messages that are too short are ignored.
    private mutating func adopt(_ sei: SEIMessages) {
        for message in sei.messages {
            let payload = sei.payload(of: message)
            switch message.type {
            case SEIType.masteringDisplay:
                masteringDisplay = MasteringDisplay(payload: payload) ?? masteringDisplay
            case SEIType.contentLightLevel:
                contentLightLevel = ContentLightLevel(payload: payload) ?? contentLightLevel
            case SEIType.ambientViewing:
                ambientViewing = AmbientViewing(payload: payload) ?? ambientViewing
            case SEIType.alternativeTransfer: alternativeTransfer = payload.first ?? alternativeTransfer
            case SEIType.registeredUserData:
                adopt(RegisteredUserData(payload), payload)
            default: break
            }
        }
    }
}
