import HDRColor

extension Reshaping {
    /// What an RPU says of its picture, in numbers to compute with. The residual of a full enhancement layer, profile 7
    /// FEL, is not part of it: what comes out is the prediction that the residual would be added to.
    ///
    /// - Parameters:
    ///   - sequence: of an earlier RPU, where this one has none.
    ///   - mapping: of an earlier RPU, where this one refers to it by ``DolbyVisionRPU/previousMappingID``.
    /// - Returns: `nil` where there is no mapping or no sequence, where signal_eotf stands for another function than
    ///   PQ, and where the numbers make no curve.
    package init?(
        _ rpu: DolbyVisionRPU, sequence: DolbyVisionRPU.SequenceInfo? = nil, mapping: DolbyVisionRPU.Mapping? = nil
    ) {
        var header = rpu.header
        header.sequence = header.sequence ?? sequence
        guard let sequence = header.sequence, let mapping = rpu.mapping ?? mapping else { return nil }
        let profile = header.signaledProfile
        // Compressed metadata leave their signal out, which then is that of profile 8.
        let known = rpu.displayManagement?.signal
        guard let signal = known ?? (profile == 5 ? nil : DolbyVisionRPU.Signal()), signal.eotf == 65535 else {
            return nil
        }
        guard let toSignal = Matrix3(signal.yccToRGB, unit: 8192), let toLMS = Matrix3(signal.rgbToLMS, unit: 16384),
            signal.yccToRGBOffset.count == 3
        else { return nil }
        let unit = profile == 4 ? 0x1p30 : 0x1p28
        let offsets = signal.yccToRGBOffset.map { Double($0) / unit }
        let curves = mapping.curves.compactMap { Curve($0, sequence) }
        self.init(
            curves: curves, toSignal: toSignal, offset: SIMD3(offsets[0], offsets[1], offsets[2]), toLMS: toLMS)
    }
}

extension Reshaping.Curve {
    fileprivate init?(_ curve: DolbyVisionRPU.Mapping.Curve, _ sequence: DolbyVisionRPU.SequenceInfo) {
        let top = Double(UInt32(1) << UInt32(min(sequence.baseLayerBitDepth, 16)) - 1)
        let pivots = curve.pivots.map { Double($0) / top }
        let format = sequence.coefficientFormat
        guard pivots.count == curve.pieces.count + 1 else { return nil }
        var pieces: [Reshaping.Piece] = []
        // A line ends where the next piece begins.
        for (index, piece) in curve.pieces.enumerated().reversed() {
            switch piece {
            case .polynomial(let coefficients):
                guard (2...3).contains(coefficients.count) else { return nil }
                let numbers = coefficients.map { format.value(of: $0) }
                pieces.append(.polynomial(SIMD3(numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 0)))
            case .linearInterpolation(let start, let end):
                let (x, y) = (pivots[index], format.value(of: start))
                let next = end.map { format.value(of: $0) } ?? pieces.last?.value(at: pivots[index + 1]) ?? y
                pieces.append(.line(from: (x, y), to: (pivots[index + 1], next)))
            case .mmr(let constant, let coefficients):
                guard coefficients.allSatisfy({ $0.count == 7 }) else { return nil }
                let orders = coefficients.map { SIMD8($0.map { format.value(of: $0) } + [0]) }
                pieces.append(.regression(constant: format.value(of: constant), orders: orders))
            }
        }
        self.init(pivots: pivots, pieces: pieces.reversed())
    }
}

extension Reshaping.Piece {
    /// The value of a piece that depends on its component alone; `nil` for others.
    fileprivate func value(at x: Double) -> Double? {
        guard case .polynomial(let c) = self else { return nil }
        return (c.z * x + c.y) * x + c.x
    }
}

extension Matrix3<Double> {
    fileprivate init?(_ numbers: [Int16], unit: Double) {
        guard numbers.count == 9 else { return nil }
        func row(_ first: Int) -> SIMD3<Double> {
            SIMD3(Double(numbers[first]), Double(numbers[first + 1]), Double(numbers[first + 2])) / unit
        }
        self.init(row(0), row(3), row(6))
    }
}
