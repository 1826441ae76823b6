import CSIMD

/// How samples are represented on their way from a reader to a writer.
protocol SampleForm {
    associatedtype Code: SampleCode
    /// Whether words with the higher byte first are supported.
    static var takesBigEndian: Bool { get }
    /// Converts code values to samples.
    static func samples(_ codes: cv_i) -> V
    static func sample(_ code: Int32) -> Float
    /// Converts code values, clamped to `top`, to samples: words can hold more than the codes that exist.
    static func samples(_ codes: cv_i, upTo top: Int32) -> V
    static func sample(_ code: Int32, upTo top: Int32) -> Float
    /// The conversions of luma's and chroma's samples to code values in the target's row `y`.
    static func codes(_ plan: UnsafePointer<KernelPlan>, _ writer: Writer, _ y: Int) -> (Code, Code)
}

extension SampleForm {
    @inline(__always) static var takesBigEndian: Bool { false }
}

/// Samples as floating-point numbers for calculations. Words come in the processor's order: `PictureStage` swaps those
/// of other layouts before colours are converted.
enum Numbers: SampleForm {
    @inline(__always) static func samples(_ codes: cv_i) -> V { cv_to_float(codes) }
    @inline(__always) static func sample(_ code: Int32) -> Float { Float(code) }
    // No clamping is needed here, since the writer clamps the samples.
    @inline(__always) static func samples(_ codes: cv_i, upTo top: Int32) -> V { cv_to_float(codes) }
    @inline(__always) static func sample(_ code: Int32, upTo top: Int32) -> Float { Float(code) }

    /// Computes code * scale + offset, rounded.
    struct Recoding: SampleCode {
        private let scale: V, offset: V
        private let rounding: Writer.Rounding
        private let single: (scale: Float, offset: Float)
        @inline(__always) static var takesBigEndian: Bool { true }

        @inline(__always) init(_ scale: Float, _ offset: Float, _ rounding: Writer.Rounding) {
            self.scale = cv_splat(scale)
            self.offset = cv_splat(offset)
            self.rounding = rounding
            single = (scale, offset)
        }
        @inline(__always) func callAsFunction(_ samples: V, _ i: Int) -> cv_i {
            rounding(cv_fma(samples, scale, offset), i)
        }
        @inline(__always) func single(_ sample: Float, _ i: Int, _ limit: Float) -> UInt16 {
            rounding.single(sample * single.scale + single.offset, i, limit)
        }
    }

    @inline(__always)
    static func codes(_ plan: UnsafePointer<KernelPlan>, _ writer: Writer, _ y: Int) -> (Recoding, Recoding) {
        let (scale, offset) = (plan.pointee.direct_scale, plan.pointee.direct_offset)
        let rounding = writer.rounding(y)
        return (Recoding(scale.0, offset.0, rounding), Recoding(scale.1, offset.1, rounding))
    }
}

/// Samples as floating-point numbers that are only scaled, for formats that differ in depth and range.
enum RecodedNumbers: SampleForm {
    @inline(__always) static var takesBigEndian: Bool { true }
    @inline(__always) static func samples(_ codes: cv_i) -> V { Numbers.samples(codes) }
    @inline(__always) static func sample(_ code: Int32) -> Float { Numbers.sample(code) }
    @inline(__always) static func samples(_ codes: cv_i, upTo top: Int32) -> V { Numbers.samples(codes, upTo: top) }
    @inline(__always) static func sample(_ code: Int32, upTo top: Int32) -> Float { Numbers.sample(code, upTo: top) }

    @inline(__always)
    static func codes(
        _ plan: UnsafePointer<KernelPlan>, _ writer: Writer, _ y: Int
    ) -> (Numbers.Recoding, Numbers.Recoding) { Numbers.codes(plan, writer, y) }
}

/// Samples as the code values' own bits, for formats that differ only in their arrangement.
enum Codes: SampleForm {
    @inline(__always) static var takesBigEndian: Bool { true }

    struct Same: SampleCode {
        @inline(__always) static var takesBigEndian: Bool { true }
        @inline(__always) init() {}
        @inline(__always) func callAsFunction(_ samples: V, _ i: Int) -> cv_i { cv_bits(samples) }
        @inline(__always) func single(_ sample: Float, _ i: Int, _ limit: Float) -> UInt16 {
            UInt16(truncatingIfNeeded: sample.bitPattern)
        }
    }

    @inline(__always) static func samples(_ codes: cv_i) -> V { cv_float(codes) }
    @inline(__always) static func sample(_ code: Int32) -> Float { Float(bitPattern: UInt32(bitPattern: code)) }
    @inline(__always) static func samples(_ codes: cv_i, upTo top: Int32) -> V {
        cv_float(cv_min_i(codes, cv_splat_i(top)))
    }
    @inline(__always) static func sample(_ code: Int32, upTo top: Int32) -> Float { sample(code < top ? code : top) }

    @inline(__always)
    static func codes(_ plan: UnsafePointer<KernelPlan>, _ writer: Writer, _ y: Int) -> (Same, Same) {
        (Same(), Same())
    }
}
