extension DolbyVisionRPU {
    /// How the base layer becomes the picture that display management starts from: vdr_rpu_data_payload(), with the
    /// part of rpu_data_header() that belongs to it. Coefficients are in the header's ``CoefficientFormat``.
    package struct Mapping: Equatable, Sendable {
        /// Parts of a curve.
        static let maximumOfPieces = 8

        /// vdr_rpu_id, by which later RPUs can refer to this mapping.
        package var id: UInt32 = 0
        /// mapping_color_space.
        package var colorSpace: UInt32 = 0
        /// mapping_chroma_format_idc.
        package var chromaFormatIDC: UInt32 = 0
        /// Three: of luma and of both chroma components.
        package var curves: [Curve]
        /// Parameters of the enhancement layer, where the header's disable_residual_flag is not set.
        package var residual: Residual?

        package init(curves: [Curve], residual: Residual? = nil) {
            self.curves = curves
            self.residual = residual
        }

        /// A component's curve, in pieces.
        package struct Curve: Equatable, Sendable {
            /// Base layer codes at which pieces begin and end, ascending: 2...9. The bitstream has their differences,
            /// pred_pivot_value.
            package var pivots: [UInt16]
            /// One less than pivots.
            package var pieces: [Piece]

            package init(pivots: [UInt16], pieces: [Piece]) {
                self.pivots = pivots
                self.pieces = pieces
            }
        }

        /// The mapping of the base layer's values between two pivots, as fractions of their largest code.
        package enum Piece: Equatable, Sendable {
            /// poly_coef: c0 + c1 x, or c0 + c1 x + c2 x².
            case polynomial([Int64])
            /// pred_linear_interp_value: the value at the pivot where the piece begins and, of the last piece only,
            /// also that where it ends.
            case linearInterpolation(start: Int64, end: Int64?)
            /// Multivariate multiple regression: the constant, then for each order, 1...3, seven coefficients, which
            /// are those of y, u, v, yu, yv, uv and yuv to the power of the order.
            case mmr(constant: Int64, coefficients: [[Int64]])
        }

        /// Non-linear quantisation with a linear dead zone, NLQ_LINEAR_DZ: nlq_method_idc 0.
        package struct Residual: Equatable, Sendable {
            /// Two base layer codes, ascending. The bitstream has their differences, nlq_pred_pivot_value.
            package var pivots: [UInt16]
            /// Three: of luma and of both chroma components.
            package var components: [Component]

            package init(pivots: [UInt16], components: [Component]) {
                self.pivots = pivots
                self.components = components
            }

            package struct Component: Equatable, Sendable {
                /// nlq_offset, a code of the enhancement layer.
                package var offset: UInt16 = 0
                /// vdr_in_max.
                package var inputMaximum: Int64 = 0
                /// linear_deadzone_slope.
                package var deadZoneSlope: Int64 = 0
                /// linear_deadzone_threshold.
                package var deadZoneThreshold: Int64 = 0

                package init() {}
            }
        }
    }
}

extension DolbyVisionRPU.Mapping {
    /// The output is the base layer.
    package static func identity(_ sequence: DolbyVisionRPU.SequenceInfo) -> Self {
        let last = UInt16(truncatingIfNeeded: UInt32(1) << UInt32(min(sequence.baseLayerBitDepth, 16)) - 1)
        let piece = Piece.polynomial([0, sequence.coefficientFormat.one])
        return Self(curves: Array(repeating: Curve(pivots: [0, last], pieces: [piece]), count: 3))
    }

    /// Whether the residual is zero everywhere, as in a minimal enhancement layer (MEL).
    func isMinimal(_ format: DolbyVisionRPU.CoefficientFormat) -> Bool? {
        residual.map {
            $0.components.allSatisfy {
                $0.offset == 0 && $0.inputMaximum == format.one && $0.deadZoneSlope == 0 && $0.deadZoneThreshold == 0
            }
        }
    }
}
