extension DolbyVisionRPU.Mapping {
    private static let components = 3

    /// Everything behind use_prev_vdr_rpu_flag.
    mutating func code(
        _ coder: inout RPUCoder, _ sequence: DolbyVisionRPU.SequenceInfo
    ) throws(BitstreamError) {
        if coder.isReading {
            curves = Array(repeating: Curve(pivots: [], pieces: []), count: Self.components)
            residual = sequence.disableResidualFlag ? nil : .init(pivots: [], components: [])
        }
        guard curves.count == Self.components else {
            throw coder.failure("has \(curves.count) reshaping curves, and each component needs one")
        }
        guard (residual == nil) == sequence.disableResidualFlag else {
            throw coder.failure("has parameters of a residual or disable_residual_flag, not both")
        }
        try coder.ue(&id, "vdr_rpu_id")
        try coder.ue(&colorSpace, "mapping_color_space")
        try coder.ue(&chromaFormatIDC, "mapping_chroma_format_idc")
        for index in curves.indices { try curves[index].codePivots(&coder, sequence) }
        try residual?.codePivots(&coder, sequence)
        for field in ["num_x_partitions_minus1", "num_y_partitions_minus1"] as [StaticString] {
            var partitions: UInt32 = 0
            try coder.ue(&partitions, upTo: 0, field)
        }
        for index in curves.indices { try curves[index].codePieces(&coder, sequence.coefficientFormat) }
        try residual?.codeComponents(&coder, sequence)
    }

    /// Ascending codes as differences of the base layer's bit depth.
    fileprivate static func code(
        _ coder: inout RPUCoder, pivots: inout [UInt16], count: Int, _ sequence: DolbyVisionRPU.SequenceInfo,
        _ field: StaticString
    ) throws(BitstreamError) {
        if coder.isReading { pivots = Array(repeating: 0, count: count) }
        var previous: UInt32 = 0
        for index in pivots.indices {
            guard pivots[index] >= previous || coder.isReading else {
                throw coder.failure("has pivots that do not ascend: \(pivots[index]) follows \(previous)")
            }
            var step = UInt32(pivots[index]) &- previous
            try coder.u(&step, Int(sequence.baseLayerBitDepth), field)
            previous += step
            guard let pivot = UInt16(exactly: previous) else {
                throw coder.failure("has a pivot \(previous), and 65535 is the maximum")
            }
            pivots[index] = pivot
        }
    }
}

extension DolbyVisionRPU.Mapping.Curve {
    fileprivate mutating func codePivots(
        _ coder: inout RPUCoder, _ sequence: DolbyVisionRPU.SequenceInfo
    ) throws(BitstreamError) {
        guard coder.isReading || (pivots.count >= 2 && pieces.count == pivots.count - 1) else {
            throw coder.failure("has a reshaping curve of \(pieces.count) pieces and \(pivots.count) pivots")
        }
        var further = UInt32(truncatingIfNeeded: max(pivots.count - 2, 0))
        let limit = UInt32(DolbyVisionRPU.Mapping.maximumOfPieces - 1)
        try coder.ue(&further, upTo: limit, "num_pivots_minus2")
        let count = Int(further) + 2
        try DolbyVisionRPU.Mapping.code(&coder, pivots: &pivots, count: count, sequence, "pred_pivot_value")
        if coder.isReading { pieces = Array(repeating: .polynomial([]), count: count - 1) }
    }

    fileprivate mutating func codePieces(
        _ coder: inout RPUCoder, _ format: DolbyVisionRPU.CoefficientFormat
    ) throws(BitstreamError) {
        for index in pieces.indices {
            try pieces[index].code(&coder, format, isLast: index == pieces.count - 1)
        }
    }
}

extension DolbyVisionRPU.Mapping.Piece {
    fileprivate mutating func code(
        _ coder: inout RPUCoder, _ format: DolbyVisionRPU.CoefficientFormat, isLast: Bool
    ) throws(BitstreamError) {
        var method: UInt32 = 0
        if case .mmr = self { method = 1 }
        try coder.ue(&method, upTo: 1, "mapping_idc")
        if method == 1 {
            try codeRegression(&coder, format)
        } else {
            try codePolynomial(&coder, format, isLast: isLast)
        }
    }

    private mutating func codePolynomial(
        _ coder: inout RPUCoder, _ format: DolbyVisionRPU.CoefficientFormat, isLast: Bool
    ) throws(BitstreamError) {
        var coefficients: [Int64] = []
        var (isLinear, start, end) = (false, Int64(0), Int64?.none)
        switch self {
        case .polynomial(let values): coefficients = values
        case .linearInterpolation(let first, let last): (isLinear, start, end) = (true, first, last)
        case .mmr: break
        }
        if !coder.isReading, !isLinear, !(2...3).contains(coefficients.count) {
            throw coder.failure("has a polynomial of \(coefficients.count) coefficients, and 2 or 3 are possible")
        }
        var furtherOrder: UInt32 = coefficients.count == 3 ? 1 : 0
        try coder.ue(&furtherOrder, upTo: 1, "poly_order_minus1")
        if furtherOrder == 0 { try coder.flag(&isLinear) }
        guard isLinear else {
            if coder.isReading { coefficients = Array(repeating: 0, count: Int(furtherOrder) + 2) }
            for index in coefficients.indices { try coder.coefficient(&coefficients[index], format, "poly_coef") }
            self = .polynomial(coefficients)
            return
        }
        try coder.coefficient(&start, format, isSigned: false, "pred_linear_interp_value")
        if coder.isReading {
            end = isLast ? 0 : nil
        } else if (end != nil) != isLast {
            throw coder.failure("has a linear piece with an end or the last one without: only the last has one")
        }
        if var value = end {
            try coder.coefficient(&value, format, isSigned: false, "pred_linear_interp_value")
            end = value
        }
        self = .linearInterpolation(start: start, end: end)
    }

    private mutating func codeRegression(
        _ coder: inout RPUCoder, _ format: DolbyVisionRPU.CoefficientFormat
    ) throws(BitstreamError) {
        var (constant, orders) = (Int64(0), [[Int64]]())
        if case .mmr(let first, let values) = self { (constant, orders) = (first, values) }
        guard coder.isReading || ((1...3).contains(orders.count) && orders.allSatisfy { $0.count == 7 }) else {
            throw coder.failure("has a regression of other than 1 to 3 orders of 7 coefficients")
        }
        var furtherOrders = UInt32(truncatingIfNeeded: max(orders.count - 1, 0))
        try coder.u(&furtherOrders, 2, "mmr_order_minus1")
        guard furtherOrders < 3 else { throw coder.failure("has mmr_order_minus1 3, and 2 is the maximum") }
        if coder.isReading {
            orders = Array(repeating: Array(repeating: 0, count: 7), count: Int(furtherOrders) + 1)
        }
        try coder.coefficient(&constant, format, "mmr_constant")
        for order in orders.indices {
            for index in orders[order].indices {
                try coder.coefficient(&orders[order][index], format, "mmr_coef")
            }
        }
        self = .mmr(constant: constant, coefficients: orders)
    }
}

extension DolbyVisionRPU.Mapping.Residual {
    fileprivate mutating func codePivots(
        _ coder: inout RPUCoder, _ sequence: DolbyVisionRPU.SequenceInfo
    ) throws(BitstreamError) {
        var method: UInt8 = 0
        try coder.u(&method, 3, "nlq_method_idc")
        guard method == 0 else { throw coder.failure("has nlq_method_idc \(method), and only 0 is known") }
        guard coder.isReading || pivots.count == 2 else {
            throw coder.failure("has \(pivots.count) pivots of the residual, which needs 2")
        }
        try DolbyVisionRPU.Mapping.code(&coder, pivots: &pivots, count: 2, sequence, "nlq_pred_pivot_value")
    }

    fileprivate mutating func codeComponents(
        _ coder: inout RPUCoder, _ sequence: DolbyVisionRPU.SequenceInfo
    ) throws(BitstreamError) {
        if coder.isReading { components = Array(repeating: Component(), count: 3) }
        guard components.count == 3 else {
            throw coder.failure("has a residual of \(components.count) components, and 3 are needed")
        }
        let format = sequence.coefficientFormat
        for index in components.indices {
            try coder.u(&components[index].offset, Int(sequence.enhancementLayerBitDepth), "nlq_offset")
            try coder.coefficient(&components[index].inputMaximum, format, isSigned: false, "vdr_in_max")
            try coder.coefficient(&components[index].deadZoneSlope, format, isSigned: false, "linear_deadzone_slope")
            try coder.coefficient(
                &components[index].deadZoneThreshold, format, isSigned: false, "linear_deadzone_threshold")
        }
    }
}
