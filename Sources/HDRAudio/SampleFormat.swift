/// The storage format of a sample of raw audio, which covers every linear PCM format of GStreamer.
///
/// Full scale is ±1.0. Samples that are read and written again stay the same, bit for bit.
public struct SampleFormat: Sendable, Equatable {
    /// The number of bytes of a sample.
    public let bytes: Int
    private let depth: Int
    private let isSigned: Bool
    private let isFloat: Bool
    private let isSwapped: Bool
    /// The scale 2^(depth - 1).
    private let scale: Double

    /// - Parameters:
    ///   - bytes: the size of a sample: 1 to 4, or 8 for floats.
    ///   - depth: the number of significant bits, which are the lowest ones of the sample.
    public init?(bytes: Int, depth: Int, isSigned: Bool, isFloat: Bool, isBigEndian: Bool) {
        guard isFloat ? (bytes == 4 || bytes == 8) : (1...4).contains(bytes) && (1...(8 * bytes)).contains(depth) else {
            return nil
        }
        self.bytes = bytes
        self.depth = depth
        self.isSigned = isSigned
        self.isFloat = isFloat
        isSwapped = isBigEndian && bytes > 1
        scale = isFloat ? 1 : Double(UInt64(1) << UInt64(depth - 1))
    }

    /// Reads `count` samples that lie `stride` samples apart.
    @_noLocks public func load(
        _ from: UnsafeRawPointer, stride: Int, into target: UnsafeMutablePointer<Double>, count: Int
    ) {
        if isFloat && !isSwapped {
            if bytes == 4 { return Self.loadPlain(from, stride, target, count, Float.self) }
            for index in 0..<count {
                target[index] = from.loadUnaligned(fromByteOffset: index &* stride &* 8, as: Double.self)
            }
            return
        }
        if isFloat {
            for index in 0..<count {
                target[index] =
                    bytes == 4
                    ? Double(
                        Float(
                            bitPattern: from.loadUnaligned(fromByteOffset: index &* stride &* 4, as: UInt32.self)
                                .byteSwapped))
                    : Double(
                        bitPattern: from.loadUnaligned(fromByteOffset: index &* stride &* 8, as: UInt64.self)
                            .byteSwapped)
            }
            return
        }
        let factor = 1 / scale
        if isSigned && !isSwapped && depth == 8 &* bytes && bytes != 3 {
            if bytes == 2 {
                for index in 0..<count {
                    target[index] =
                        Double(from.loadUnaligned(fromByteOffset: index &* stride &* 2, as: Int16.self)) * factor
                }
                return
            }
            if bytes == 4 {
                for index in 0..<count {
                    target[index] =
                        Double(from.loadUnaligned(fromByteOffset: index &* stride &* 4, as: Int32.self)) * factor
                }
                return
            }
        }
        for index in 0..<count {
            target[index] = Double(value(from + index &* stride &* bytes)) * factor
        }
    }

    /// Writes `count` samples, rounded to the nearest and clamped to the range; NaN becomes 0.
    @_noLocks public func store(
        _ from: UnsafePointer<Double>, to target: UnsafeMutableRawPointer, stride: Int, count: Int
    ) {
        if isFloat {
            for index in 0..<count {
                let place = target + index &* stride &* bytes
                if bytes == 4 {
                    let bits = Float(from[index] == from[index] ? from[index] : 0).bitPattern
                    place.storeBytes(of: isSwapped ? bits.byteSwapped : bits, as: UInt32.self)
                } else {
                    let bits = (from[index] == from[index] ? from[index] : 0).bitPattern
                    place.storeBytes(of: isSwapped ? bits.byteSwapped : bits, as: UInt64.self)
                }
            }
            return
        }
        let highest = scale - 1
        let lowest = -scale
        if isSigned && !isSwapped && depth == 8 &* bytes && (bytes == 2 || bytes == 4) {
            for index in 0..<count {
                let whole = Self.rounded(from[index] * scale, lowest, highest)
                if bytes == 2 {
                    target.storeBytes(
                        of: Int16(truncatingIfNeeded: whole), toByteOffset: index &* stride &* 2, as: Int16.self)
                } else {
                    target.storeBytes(of: whole, toByteOffset: index &* stride &* 4, as: Int32.self)
                }
            }
            return
        }
        for index in 0..<count {
            let whole = Self.rounded(from[index] * scale, lowest, highest)
            write(whole, to: target + index &* stride &* bytes)
        }
    }

    /// Writes `count` silent samples.
    @_noLocks public func fillSilence(_ target: UnsafeMutableRawPointer, stride: Int, count: Int) {
        if count <= 0 { return }
        if (isSigned || isFloat) && stride == 1 {
            target.initializeMemory(as: UInt8.self, repeating: 0, count: count &* bytes)
            return
        }
        for index in 0..<count {
            let place = target + index &* stride &* bytes
            if isFloat {
                for byte in 0..<bytes { place.storeBytes(of: 0, toByteOffset: byte, as: UInt8.self) }
            } else {
                write(0, to: place)
            }
        }
    }

    @_noLocks private static func loadPlain(
        _ from: UnsafeRawPointer, _ stride: Int, _ target: UnsafeMutablePointer<Double>, _ count: Int, _: Float.Type
    ) {
        if stride == 1 {
            for index in 0..<count {
                target[index] = Double(from.loadUnaligned(fromByteOffset: index &* 4, as: Float.self))
            }
        } else if stride == 2 {
            for index in 0..<count {
                target[index] = Double(from.loadUnaligned(fromByteOffset: index &* 8, as: Float.self))
            }
        } else {
            for index in 0..<count {
                target[index] = Double(from.loadUnaligned(fromByteOffset: index &* stride &* 4, as: Float.self))
            }
        }
    }

    /// Rounds and clamps. Adding and subtracting 1.5 × 2^52 rounds to the nearest even, where `rounded()` may call a
    /// library.
    @_noLocks private static func rounded(_ value: Double, _ lowest: Double, _ highest: Double) -> Int32 {
        // A NaN fails every comparison.
        guard value == value else { return 0 }
        let clamped = value > lowest ? (value < highest ? value : highest) : lowest
        let magic = 6_755_399_441_055_744.0
        return Int32(truncatingIfNeeded: Int64(bitPattern: (clamped + magic).bitPattern))
    }

    /// A sample of an integer format, without the offset of unsigned ones.
    @_noLocks private func value(_ place: UnsafeRawPointer) -> Int32 {
        var word: UInt32 = 0
        for byte in 0..<bytes {
            let shift = UInt32(truncatingIfNeeded: 8 &* (isSwapped ? bytes &- 1 &- byte : byte))
            word |= UInt32(place.loadUnaligned(fromByteOffset: byte, as: UInt8.self)) &<< shift
        }
        let unused = UInt32(truncatingIfNeeded: 32 &- depth)
        // An unsigned sample is a signed one with its sign bit inverted.
        let shifted = (isSigned ? word : word ^ (1 &<< UInt32(truncatingIfNeeded: depth &- 1))) &<< unused
        return Int32(bitPattern: shifted) &>> Int32(bitPattern: unused)
    }

    @_noLocks private func write(_ value: Int32, to place: UnsafeMutableRawPointer) {
        var word = UInt32(bitPattern: value)
        if !isSigned {
            word = word &+ (1 &<< UInt32(truncatingIfNeeded: depth &- 1))
            if depth < 32 { word &= (1 &<< UInt32(truncatingIfNeeded: depth)) &- 1 }
        }
        for byte in 0..<bytes {
            let shift = UInt32(truncatingIfNeeded: 8 &* (isSwapped ? bytes &- 1 &- byte : byte))
            place.storeBytes(of: UInt8(truncatingIfNeeded: word &>> shift), toByteOffset: byte, as: UInt8.self)
        }
    }
}
