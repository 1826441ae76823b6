import CX265
import Glibc
import HDRConcurrency

/// An open encoder of libx265. It belongs to one thread at a time.
final class X265Encoder {
    let api: UnsafePointer<x265_api>
    private let encoder: OpaquePointer
    /// The parameters after completion by the encoder.
    private let parameters: UnsafeMutablePointer<x265_param>
    let input: UnsafeMutablePointer<x265_picture>
    let output: UnsafeMutablePointer<x265_picture>
    /// The parameter sets and the messages at the start of the stream.
    private(set) var headers: [UInt8] = []
    /// The parameter sets alone: VPS, SPS and PPS.
    private(set) var parameterSets: [UInt8] = []

    typealias Units = UnsafeBufferPointer<x265_nal>

    /// Serializes the opening of encoders, and counts them: libx265 fills tables of the process with the first one, and
    /// some of them are not protected by a lock.
    private static let opening = Locked(0)

    /// - Returns: `nil` where libx265 refuses the parameters.
    init?(_ source: X265Parameters) {
        let api = source.api
        let pointer = source.pointer
        let opened = Self.opening.withLock { count in
            count &+= 1
            return api.pointee.encoder_open(pointer)
        }
        guard let encoder = opened else { return nil }
        guard let parameters = api.pointee.param_alloc(), let input = api.pointee.picture_alloc(),
            let output = api.pointee.picture_alloc()
        else {
            api.pointee.encoder_close(encoder)
            return nil
        }
        self.api = api
        self.encoder = encoder
        self.parameters = parameters
        self.input = input
        self.output = output
        api.pointee.param_default(parameters)
        guard Self.makeRoomForZones(of: pointer, in: parameters) else { return nil }
        api.pointee.encoder_parameters(encoder, parameters)
        api.pointee.picture_init(parameters, input)
        api.pointee.picture_init(parameters, output)
        var units: UnsafeMutablePointer<x265_nal>?
        var count: UInt32 = 0
        guard api.pointee.encoder_headers(encoder, &units, &count) >= 0 else { return nil }
        for unit in Units(start: units, count: units == nil ? 0 : Int(count)) {
            let bytes = UnsafeBufferPointer(start: unit.payload, count: Int(unit.sizeBytes))
            headers += bytes
            if Self.parameterTypes.contains(unit.type) { parameterSets += bytes }
        }
    }

    /// Allocates the array into which libx265 copies zones, which is freed with the parameters.
    private static func makeRoomForZones(
        of source: UnsafeMutablePointer<x265_param>, in copy: UnsafeMutablePointer<x265_param>
    ) -> Bool {
        let count = source.pointee.rc.zoneCount
        guard count > 0 else { return true }
        guard let zones = x265_zone_alloc(count, 0) else { return false }
        memset(zones, 0, Int(count) * MemoryLayout<x265_zone>.stride)
        copy.pointee.rc.zones = zones
        copy.pointee.rc.zoneCount = count
        return true
    }

    /// The NAL unit types of VPS, SPS and PPS (H.265 table 7-1).
    private static let parameterTypes: ClosedRange<UInt32> = 32...34

    deinit {
        api.pointee.encoder_close(encoder)
        cx265_param_free(api, parameters)
        api.pointee.picture_free(input)
        api.pointee.picture_free(output)
    }

    /// The number of bytes per picture in the `cutree` file for the next pass: a type, and a number for each block of
    /// 16 or 8 samples; `nil` where there is no such file.
    var treeBytes: Int? {
        let p = parameters.pointee
        guard p.rc.cuTree != 0 else { return nil }
        func blocks(_ size: Int32) -> Int { (Int(size) / 2 + 7) / 8 }
        return 1 + 2 * blocks(p.sourceWidth) * blocks(p.sourceHeight) * (p.rc.qgSize == 8 ? 4 : 1)
    }

    /// The maximum delay in pictures between input and output. libx265 does not report it, so these are observed
    /// numbers. It is caused by look-ahead, by pictures that are encoded at the same time, and by B-frames, which are
    /// output after the pictures that are shown after them.
    var delay: Int {
        let p = parameters
        let threads = Int(max(p.pointee.frameNumThreads, 1))
        let bFrames = Int(max(p.pointee.bframes, 0))
        guard p.pointee.lookaheadDepth > 0 || bFrames > 0 else { return threads > 1 ? threads : 0 }
        return Int(max(p.pointee.lookaheadDepth, 0)) + bFrames + threads + 2 + (bFrames > 0 ? 3 : 0)
    }

    enum Outcome {
        /// The NAL units of a picture, which `output` describes; valid until the next call.
        case picture(Units)
        case nothing
        case failure
    }

    /// Encodes the picture in `input`, or with `isDraining` outputs a picture that waits.
    func encode(isDraining: Bool = false) -> Outcome {
        var units: UnsafeMutablePointer<x265_nal>?
        var count: UInt32 = 0
        let result = cx265_encode(api, encoder, &units, &count, isDraining ? nil : input, output)
        if result < 0 { return .failure }
        guard result > 0, let units, count > 0 else { return .nothing }
        return .picture(Units(start: units, count: Int(count)))
    }

    var statistics: x265_stats {
        var statistics = x265_stats()
        api.pointee.encoder_get_stats(encoder, &statistics, UInt32(MemoryLayout<x265_stats>.size))
        return statistics
    }
}
