/// The colours of levels: Matplotlib's colour map magma, as polynomials for red, green and blue. Equal steps look
/// equal, also in grey.
enum ColorScale {
    private static let factors: [(red: Double, green: Double, blue: Double)] = [
        (-0.002136485, -0.000749655, -0.005386128), (0.251660541, 0.677523244, 2.494026599),
        (8.353717279, -3.577719515, 0.314467903), (-27.668733086, 14.264730781, -13.649213188),
        (52.176139812, -27.943606072, 12.944169442), (-50.768525365, 29.046582821, 4.234152994),
        (18.655705066, -11.489773520, -5.601961509),
    ]

    private static let palette: [Canvas.Color] = (0..<1024).map { step in
        let share = Double(step) / 1023
        func code(_ factor: (Int) -> Double) -> UInt8 {
            let value = factors.indices.reversed().reduce(0) { $0 * share + factor($1) }
            return UInt8(min(max((value * 255).rounded(), 0), 255))
        }
        return Canvas.Color(code { factors[$0].red }, code { factors[$0].green }, code { factors[$0].blue })
    }

    /// - Parameter share: from 0, which is black, to 1; a NaN counts as 0.
    static func color(_ share: Float) -> Canvas.Color {
        guard !share.isNaN else { return palette[0] }
        return palette[Int((min(max(share, 0), 1) * 1023).rounded())]
    }
}
