import CSIMD

/// Converts samples to code values: those of the vector that starts with the `i`th sample, or that sample alone.
protocol SampleCode {
    /// Whether words with the higher byte first are supported.
    static var takesBigEndian: Bool { get }
    func callAsFunction(_ samples: V, _ i: Int) -> cv_i
    func single(_ sample: Float, _ i: Int, _ limit: Float) -> UInt16
}

extension SampleCode {
    @inline(__always) static var takesBigEndian: Bool { false }
    @inline(__always) func callAsFunction(_ samples: UnsafePointer<Float>, _ i: Int) -> cv_i {
        self(cv_load(samples + i), i)
    }
    @inline(__always) func single(_ samples: UnsafePointer<Float>, _ i: Int, _ limit: Float) -> UInt16 {
        single(samples[i], i, limit)
    }
}
