extension [Double] {
    /// The middle value, which a few that the machine disturbed do not move.
    var median: Double {
        guard !isEmpty else { return .nan }
        let values = sorted()
        let middle = count / 2
        return count % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    }

    /// The largest less the smallest value, in per cent of the median.
    var spread: Double {
        guard let largest = self.max(), let smallest = self.min() else { return .nan }
        return (largest - smallest) / median * 100
    }
}

extension Double {
    /// The number with a fixed count of digits after the point; a dash where it is not finite.
    func fixed(_ digits: Int) -> String {
        guard isFinite else { return "-" }
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let whole = Int((self * scale).rounded())
        guard digits > 0 else { return "\(whole)" }
        return "\(whole / Int(scale))." + String("\(abs(whole) % Int(scale) + Int(scale))".dropFirst())
    }
}
