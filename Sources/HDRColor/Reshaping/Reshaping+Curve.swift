extension Reshaping {
    /// The piecewise mapping of one component.
    public struct Curve: Equatable, Sendable {
        /// The maximum number of pieces of a curve, and of orders of a regression.
        public static let maximumOfPieces = 8
        public static let maximumOrder = 3

        /// The limits of the pieces, ascending in [0, 1]: one more than there are pieces. Arguments are clamped to the
        /// first and the last one.
        public let pivots: [Double]
        public let pieces: [Piece]

        /// - Returns: `nil` for a number of pieces other than 1...8, pivots that do not ascend, numbers that are not
        ///   finite, or a regression of an order other than 1...3.
        public init?(pivots: [Double], pieces: [Piece]) {
            guard (1...Self.maximumOfPieces).contains(pieces.count), pivots.count == pieces.count + 1,
                zip(pivots, pivots.dropFirst()).allSatisfy({ $0 <= $1 }), pieces.allSatisfy(\.isValid),
                pivots.allSatisfy({ $0 >= 0 && $0 <= 1 })
            else { return nil }
            self.pivots = pivots
            self.pieces = pieces
        }

        /// The identity.
        public static let identity = Curve(unchecked: [0, 1], [.polynomial(SIMD3(0, 1, 0))])

        private init(unchecked pivots: [Double], _ pieces: [Piece]) {
            self.pivots = pivots
            self.pieces = pieces
        }

        /// The component's new value.
        /// - Parameters:
        ///   - components: the components of the pixel, in [0, 1].
        ///   - index: the index of the component that is mapped.
        func callAsFunction(_ components: SIMD3<Double>, _ index: Int) -> Double {
            let x = components[index]
            // Below the first pivot the first piece applies, above the last one the last.
            let later = pivots.dropFirst().dropLast().prefix { $0 <= x }.count
            return pieces[later](components, x).limited(pivots[0], pivots[pieces.count])
        }

        var isIdentity: Bool {
            pieces.allSatisfy { $0 == .polynomial(SIMD3(0, 1, 0)) } && pivots.first == 0 && pivots.last == 1
        }
    }

    /// The mapping of the values between two pivots.
    public enum Piece: Equatable, Sendable {
        /// The polynomial c.x + c.y x + c.z x².
        case polynomial(SIMD3<Double>)
        /// A constant, and for each order k the sum of seven coefficients times y^k, u^k, v^k, (yu)^k, (yv)^k, (uv)^k
        /// and (yuv)^k. The eighth number is 0.
        case regression(constant: Double, orders: [SIMD8<Double>])

        /// The line through two points; where both have the same abscissa, the first one's value.
        public static func line(from: (x: Double, y: Double), to: (x: Double, y: Double)) -> Piece {
            let slope = to.x > from.x ? (to.y - from.y) / (to.x - from.x) : 0
            return .polynomial(SIMD3(from.y - slope * from.x, slope, 0))
        }

        func callAsFunction(_ components: SIMD3<Double>, _ x: Double) -> Double {
            switch self {
            case .polynomial(let c): return (c.z * x + c.y) * x + c.x
            case .regression(let constant, let orders):
                let terms = Self.terms(components)
                var powers = terms
                var sum = constant
                for order in orders {
                    sum += (order * powers).sum()
                    powers *= terms
                }
                return sum
            }
        }

        private static func terms(_ c: SIMD3<Double>) -> SIMD8<Double> {
            SIMD8(c.x, c.y, c.z, c.x * c.y, c.x * c.z, c.y * c.z, c.x * c.y * c.z, 0)
        }

        fileprivate var isValid: Bool {
            switch self {
            case .polynomial(let c): c.x.isFinite && c.y.isFinite && c.z.isFinite
            case .regression(let constant, let orders):
                constant.isFinite && (1...Curve.maximumOrder).contains(orders.count)
                    && orders.allSatisfy { order in order[7] == 0 && (0..<7).allSatisfy { order[$0].isFinite } }
            }
        }
    }
}
