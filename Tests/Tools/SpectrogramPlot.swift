/// One of a picture's two plots, 1378 by 390 pixels, its rows counted from the low frequencies.
struct SpectrogramPlot {
    private let picture: [UInt8]
    private let top: Int
    private static let left = 92, width = 1378, height = 390

    init(picture: [UInt8], top: Int) { (self.picture, self.top) = (picture, top) }

    private subscript(column: Int, row: Int) -> Int {
        Int(picture[(top + Self.height - 1 - row) * 1600 + Self.left + column])
    }

    private var all: [Int] { (0..<Self.height).flatMap { row in (0..<Self.width).map { self[$0, row] } } }

    /// The number of different shades.
    var shades: Int { Set(all).count }
    var mean: Double { Double(all.reduce(0, +)) / Double(Self.width * Self.height) }

    /// The mean of a few pixels along the sweep, which rises from corner to corner.
    /// - Parameter share: Where in the plot, from 0 to 1.
    func mean(along share: Double, row: Int) -> Double {
        let column = Int(share * Double(Self.width))
        let values = (-60...60).map { self[column + $0, row + Int((Double($0) * 390 / 1378).rounded())] }
        return Double(values.reduce(0, +)) / Double(values.count)
    }
}
