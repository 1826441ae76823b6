import HDRBitstream
import HDRColor

/// The Dolby Vision metadata of the frames that are measured.
struct DolbyVisionFrames {
    private var rpu: DolbyVisionRPU
    /// The conversion of what is drawn to the base layer; `nil` where that is drawn as it is.
    let baseLayer: IPTBaseLayer?

    /// Metadata for content of 1000 cd/m². Of profile 5 the mapping is the identity, and takes the steps that those of
    /// films take: a curve of eight pieces for luma, regressions of the third order for chroma.
    init(_ profile: DolbyVisionRPU.AuthoredProfile) {
        rpu = .blank(profile)
        // PQ signals of 12 bits: 1000 cd/m² and about 20.
        rpu.displayManagement?.level1 = .init(minimumPQ: 0, maximumPQ: 3079, averagePQ: 1400)
        if profile == .profile5, let sequence = rpu.header.sequence { rpu.mapping = .steps(sequence) }
        baseLayer = profile == .profile5 ? Reshaping(rpu).map { IPTBaseLayer($0) } : nil
    }

    /// The bytes of the metadata of a frame.
    func payload(beginsScene: Bool) throws(Failure) -> [UInt8] {
        var rpu = rpu
        rpu.displayManagement?.sceneRefreshFlag = beginsScene ? 1 : 0
        guard let payload = try? rpu.payload() else { throw Failure("the Dolby Vision metadata cannot be written") }
        return payload
    }
}

extension DolbyVisionRPU.Mapping {
    fileprivate static func steps(_ sequence: DolbyVisionRPU.SequenceInfo) -> Self {
        let one = sequence.coefficientFormat.one
        let none = [Int64](repeating: 0, count: 7)
        func regression(_ component: Int) -> Curve {
            var first = none
            first[component] = one
            return Curve(pivots: [0, 1023], pieces: [.mmr(constant: 0, coefficients: [first, none, none])])
        }
        let luma = Curve(
            pivots: [0, 128, 256, 384, 512, 640, 768, 896, 1023],
            pieces: Array(repeating: .polynomial([0, one, 0]), count: 8))
        return Self(curves: [luma, regression(1), regression(2)])
    }
}

/// Converts PQ signals R'G'B' in BT.2020 primaries to the base layer of profile 5, which is in IPTPQc2.
struct IPTBaseLayer {
    private let toCones: Matrix3<Float>
    private let toIPT: Matrix3<Float>
    private let offset: SIMD3<Float>
    /// The light of signals of 12 bits.
    private let light: [Float]

    /// - Parameter reshaping: a mapping that is the identity, and the matrices of the signal.
    init(_ reshaping: Reshaping) {
        toCones = Matrix3(reshaping.toBT2020?.inverse ?? .identity)
        toIPT = Matrix3(reshaping.toSignal.inverse)
        offset = SIMD3(reshaping.offset)
        light = (0..<4096).map { Float(PQ.eotf(Double($0) / 4095)) }
    }

    /// The components of a pixel as fractions of the highest code.
    func callAsFunction(_ signal: SIMD3<Float>) -> SIMD3<Float> {
        func place(_ component: Float) -> Int { Int(min(max(component, 0), 1) * 4095) }
        let cones = toCones * SIMD3(light[place(signal.x)], light[place(signal.y)], light[place(signal.z)])
        let coded = SIMD3(PQ.inverseEOTF(cones.x), PQ.inverseEOTF(cones.y), PQ.inverseEOTF(cones.z))
        return toIPT * coded + offset
    }
}

extension Matrix3<Float> {
    fileprivate init(_ other: Matrix3<Double>) {
        self.init(SIMD3(other.row0), SIMD3(other.row1), SIMD3(other.row2))
    }
}
