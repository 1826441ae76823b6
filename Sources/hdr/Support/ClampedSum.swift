extension UInt64 {
    /// The sum, or the greatest number where that is less. Times and durations in files may be anything.
    func plus(_ other: UInt64) -> UInt64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
