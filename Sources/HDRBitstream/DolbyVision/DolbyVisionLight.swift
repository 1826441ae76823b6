import HDRColor

/// Light in Dolby Vision's metadata: codes of 12 bits of PQ (SMPTE ST 2084), 0...4095 for 0 to 10000 cd/m².
package enum DolbyVisionLight {
    /// cd/m² of a code; greater ones count as 4095.
    package static func candelas(_ code: UInt16) -> Double { PQ.eotf(Double(min(code, 4095)) / 4095) }

    /// The code of light in cd/m², which is limited to 0...10000.
    package static func code(_ candelas: Double) -> UInt16 {
        code(signal: PQ.inverseEOTF(min(max(candelas, 0), 10000)))
    }

    /// The code of a PQ signal, which is limited to 0...1.
    package static func code(signal: Double) -> UInt16 { UInt16((min(max(signal, 0), 1) * 4095).rounded()) }
}
