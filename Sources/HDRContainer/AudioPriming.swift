import HDRMetadata

/// Encoder delay: the samples that an encoder inserts at the start of an audio track, which players must not play.
package struct AudioPriming: Equatable, Sendable {
    package var samples: UInt32
    /// The sample rate, which is the track's timescale.
    package var rate: UInt32

    package init(samples: UInt32, rate: UInt32) {
        self.samples = samples
        self.rate = rate
    }

    /// - Parameter nanoseconds: is rounded to samples.
    /// - Returns: `nil` for no delay, and for one of more than 2^32 samples.
    package init?(nanoseconds: UInt64, rate: UInt32) {
        let (samples, overflow) = nanoseconds.multipliedReportingOverflow(by: UInt64(rate))
        guard !overflow,
            let count = UInt32(exactly: samples / 1_000_000_000 + (samples % 1_000_000_000 >= 500_000_000 ? 1 : 0)),
            count > 0
        else { return nil }
        self.init(samples: count, rate: rate)
    }

    /// The delay in ns, as in Matroska's CodecDelay (RFC 9559 section 5.1.4.1.26); 0 for no delay.
    package var nanoseconds: UInt64 {
        rate == 0 ? 0 : (UInt64(samples) * 1_000_000_000 + UInt64(rate) / 2) / UInt64(rate)
    }

    /// The delay in ticks of a timescale.
    func ticks(of timescale: UInt32) -> UInt64 {
        rate == 0 ? 0 : (UInt64(samples) * UInt64(timescale) + UInt64(rate) / 2) / UInt64(rate)
    }
}
