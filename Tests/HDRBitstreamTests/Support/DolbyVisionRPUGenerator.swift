import TestSupport

@testable import HDRBitstream

/// Random RPUs that the syntax allows, also those that nobody makes.
struct DolbyVisionRPUGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    mutating func rpu() -> DolbyVisionRPU {
        var rpu = DolbyVisionRPU()
        rpu.header.format = UInt16(number(8))
        rpu.header.profile = UInt8(number(4))
        rpu.header.level = UInt8(number(4))
        let info = sequence()
        rpu.header.sequence = info
        if chance(8) { rpu.previousMappingID = number(32) } else { rpu.mapping = mapping(info) }
        if !chance(8) { rpu.displayManagement = management(info) }
        // Behind metadata that end before content mapping 4.0, bytes would be taken for it.
        if rpu.displayManagement?.extendedBlocks != nil, chance(4) { rpu.unknownBytes = bytes(random.below(9)) }
        if chance(4) { rpu.trailingBytes = Array(repeating: 0, count: random.below(5)) }
        return rpu
    }

    /// Mostly small, sometimes any number of as many bits but the largest of 32, which Exp-Golomb codes do not have.
    private mutating func number(_ bits: Int) -> UInt32 {
        let limit = UInt64(1) << UInt64(bits)
        switch random.below(4) {
        case 0: return UInt32(min(limit - 1, 0xFFFF_FFFE))
        case 1: return UInt32(min(random.next() % min(limit, 4), 0xFFFF_FFFE))
        default: return UInt32(min(random.next() % limit, 0xFFFF_FFFE))
        }
    }

    private mutating func chance(_ one: Int) -> Bool { random.below(one) == 0 }
    private mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(number(8)) } }
    private mutating func short(_ bits: Int) -> UInt16 { UInt16(number(bits)) }

    private mutating func sequence() -> DolbyVisionRPU.SequenceInfo {
        var info = DolbyVisionRPU.SequenceInfo()
        info.chromaResamplingExplicitFilterFlag = chance(2)
        info.coefficientFormat = chance(4) ? .floatingPoint : .fixedPoint(log2Denominator: UInt8(random.below(33)))
        info.normalizedIDC = UInt8(number(2))
        info.isBaseLayerFullRange = chance(2)
        info.baseLayerBitDepth = UInt8(8 + random.below(9))
        info.enhancementLayerBitDepth = UInt8(8 + random.below(9))
        info.extendedMappingIDC = chance(2) ? 0 : UInt8(number(8))
        info.vdrBitDepth = UInt8(8 + random.below(9))
        info.spatialResamplingFilterFlag = chance(2)
        info.dmCompression = chance(2) ? 0 : UInt8(number(3))
        info.elSpatialResamplingFilterFlag = chance(2)
        info.disableResidualFlag = chance(2)
        return info
    }

    private mutating func coefficient(_ format: DolbyVisionRPU.CoefficientFormat, isSigned: Bool) -> Int64 {
        guard case .fixedPoint(let bits) = format else { return Int64(number(32)) }
        let whole = Int64(number(chance(4) ? 31 : 4)) * (isSigned && chance(2) ? -1 : 1)
        let fraction = bits == 0 ? 0 : Int64(number(Int(bits)))
        return whole << Int64(bits) | fraction
    }

    private mutating func pivots(_ count: Int, _ info: DolbyVisionRPU.SequenceInfo) -> [UInt16] {
        (0..<count).map { _ in short(Int(info.baseLayerBitDepth)) }.sorted()
    }

    private mutating func mapping(_ info: DolbyVisionRPU.SequenceInfo) -> DolbyVisionRPU.Mapping {
        let format = info.coefficientFormat
        var mapping = DolbyVisionRPU.Mapping(curves: [])
        (mapping.id, mapping.colorSpace, mapping.chromaFormatIDC) = (number(4), number(2), number(2))
        for _ in 0..<3 {
            let count = chance(16) ? 8 : 1 + random.below(2)
            let pieces = (1...count).map { piece(format, isLast: $0 == count) }
            mapping.curves.append(.init(pivots: pivots(count + 1, info), pieces: pieces))
        }
        guard !info.disableResidualFlag else { return mapping }
        var components: [DolbyVisionRPU.Mapping.Residual.Component] = []
        for _ in 0..<3 {
            var component = DolbyVisionRPU.Mapping.Residual.Component()
            component.offset = short(Int(info.enhancementLayerBitDepth))
            component.inputMaximum = coefficient(format, isSigned: false)
            component.deadZoneSlope = coefficient(format, isSigned: false)
            component.deadZoneThreshold = coefficient(format, isSigned: false)
            components.append(component)
        }
        mapping.residual = .init(pivots: pivots(2, info), components: components)
        return mapping
    }

    private mutating func piece(
        _ format: DolbyVisionRPU.CoefficientFormat, isLast: Bool
    ) -> DolbyVisionRPU.Mapping.Piece {
        switch random.below(3) {
        case 0: return .polynomial((0..<2 + random.below(2)).map { _ in coefficient(format, isSigned: true) })
        case 1:
            let start = coefficient(format, isSigned: false)
            return .linearInterpolation(start: start, end: isLast ? coefficient(format, isSigned: false) : nil)
        default:
            let orders = (0...random.below(3)).map { _ in (0..<7).map { _ in coefficient(format, isSigned: true) } }
            return .mmr(constant: coefficient(format, isSigned: true), coefficients: orders)
        }
    }

    private mutating func management(_ info: DolbyVisionRPU.SequenceInfo) -> DolbyVisionRPU.DisplayManagement {
        var management = DolbyVisionRPU.DisplayManagement()
        (management.affectedID, management.currentID) = (number(4), number(4))
        management.sceneRefreshFlag = number(chance(4) ? 32 : 1)
        management.signal = info.dmCompression == 1 ? nil : signal()
        management.blocks = (0..<random.below(12)).map { _ in block() }
        if chance(2) { management.extendedBlocks = (0...random.below(12)).map { _ in block() } }
        return management
    }

    private mutating func signal() -> DolbyVisionRPU.Signal {
        var signal = DolbyVisionRPU.Signal()
        for index in 0..<9 {
            signal.yccToRGB[index] = Int16(truncatingIfNeeded: random.next())
            signal.rgbToLMS[index] = Int16(truncatingIfNeeded: random.next())
            signal.yccToRGBOffset[index / 3] = number(32)
        }
        (signal.eotf, signal.eotfParameter0) = (short(16), short(16))
        (signal.eotfParameter1, signal.eotfParameter2) = (short(16), number(32))
        (signal.bitDepth, signal.colorSpace) = (UInt8(number(5)), UInt8(number(2)))
        (signal.chromaFormat, signal.fullRangeFlag) = (UInt8(number(2)), UInt8(number(2)))
        (signal.sourceMinimumPQ, signal.sourceMaximumPQ) = (short(12), short(12))
        signal.sourceDiagonal = short(10)
        return signal
    }

    private mutating func block() -> DolbyVisionRPU.Block {
        switch random.below(14) {
        case 0: return .level1(.init(minimumPQ: short(12), maximumPQ: short(12), averagePQ: short(12)))
        case 1:
            var value = DolbyVisionRPU.Level2()
            (value.targetMaximumPQ, value.trimSlope, value.trimOffset) = (short(12), short(12), short(12))
            (value.trimPower, value.trimChromaWeight) = (short(12), short(12))
            value.trimSaturationGain = short(12)
            value.msWeight = Int16(short(12)) * (chance(2) ? -1 : 1)
            return .level2(value)
        case 2:
            var value = DolbyVisionRPU.Level3()
            (value.minimumPQOffset, value.maximumPQOffset, value.averagePQOffset) = (short(12), short(12), short(12))
            return .level3(value)
        case 3:
            var value = DolbyVisionRPU.Level4()
            (value.anchorPQ, value.anchorPower) = (short(12), short(12))
            return .level4(value)
        case 4: return .level5(.init(left: short(13), right: short(13), top: short(13), bottom: short(13)))
        case 5:
            return .level6(
                .init(
                    maximumMasteringLuminance: short(16), minimumMasteringLuminance: short(16),
                    maximumContentLightLevel: short(16), maximumFrameAverageLightLevel: short(16)))
        case 6, 7: return .level8(trims())
        case 8:
            var value = DolbyVisionRPU.Level9()
            (value.sourcePrimaryIndex, value.primaries) = (UInt8(number(8)), primaries())
            return .level9(value)
        case 9:
            var value = DolbyVisionRPU.Level10()
            (value.targetDisplayIndex, value.targetPrimaryIndex) = (UInt8(number(8)), UInt8(number(8)))
            (value.targetMaximumPQ, value.targetMinimumPQ, value.primaries) = (short(12), short(12), primaries())
            return .level10(value)
        case 10:
            var value = DolbyVisionRPU.Level11()
            (value.contentType, value.whitePoint, value.referenceModeFlag) =
                (UInt8(number(8)), UInt8(number(4)), chance(2))
            (value.reserved2, value.reserved3) = (UInt8(number(8)), UInt8(number(8)))
            return .level11(value)
        case 11:
            var value = DolbyVisionRPU.Level254()
            (value.mode, value.versionIndex) = (UInt8(number(8)), UInt8(number(8)))
            return .level254(value)
        case 12:
            var value = DolbyVisionRPU.Level255()
            (value.runMode, value.runVersion, value.debug0) = (UInt8(number(8)), UInt8(number(8)), UInt8(number(8)))
            (value.debug1, value.debug2, value.debug3) = (UInt8(number(8)), UInt8(number(8)), UInt8(number(8)))
            return .level255(value)
        default:
            // The level is unknown, or known with a size that it never has.
            let level: UInt8 = [0, 7, 12, 100, 253, 1, 8][random.below(7)]
            return .other(level: level, bytes: bytes(level == 1 || level == 8 ? 7 : random.below(40)))
        }
    }

    private mutating func trims() -> DolbyVisionRPU.Level8 {
        var value = DolbyVisionRPU.Level8()
        value.targetDisplayIndex = UInt8(number(8))
        (value.trimSlope, value.trimOffset, value.trimPower) = (short(12), short(12), short(12))
        (value.trimChromaWeight, value.trimSaturationGain, value.msWeight) = (short(12), short(12), short(12))
        let fields = random.below(5)
        if fields > 0 { value.targetMidContrast = short(12) }
        if fields > 1 { value.clipTrim = short(12) }
        if fields > 2 { value.saturationVector = bytes(6) }
        if fields > 3 { value.hueVector = bytes(6) }
        return value
    }

    private mutating func primaries() -> DolbyVisionRPU.Primaries? {
        guard chance(2) else { return nil }
        var value = DolbyVisionRPU.Primaries()
        value.red = [short(16), short(16)]
        value.green = [short(16), short(16)]
        value.blue = [short(16), short(16)]
        value.white = [short(16), short(16)]
        return value
    }
}
