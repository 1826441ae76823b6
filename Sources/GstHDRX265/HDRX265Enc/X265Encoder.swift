import CX265
import Glibc
import HDRConcurrency

/// An open encoder of libx265. It belongs to one thread at a time.
final class X265Encoder {
    let api: UnsafePointer<x265_api>
    private let encoder: OpaquePointer
    /// The parameters as the encoder has completed them.
    private let parameters: UnsafeMutablePointer<x265_param>
    let input: UnsafeMutablePointer<x265_picture>
    let output: UnsafeMutablePointer<x265_picture>
    /// The parameter sets and the messages at the start of the stream.
    private(set) var headers: [UInt8] = []
    /// The parameter sets alone: VPS, SPS and PPS.
    private(set) var parameterSets: [UInt8] = []

    typealias Units = UnsafeBufferPointer<x265_nal>

    /// Counts the encoders that were opened, one at a time: libx265 fills tables of the process with the first, and
    /// guards some of them by no lock.
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

    /// libx265 copies zones into an array that has to be there, which is freed with the parameters.
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

    /// VPS, SPS and PPS: H.265 table 7-1.
    private static let parameterTypes: ClosedRange<UInt32> = 32...34

    deinit {
        api.pointee.encoder_close(encoder)
        cx265_param_free(api, parameters)
        api.pointee.picture_free(input)
        api.pointee.picture_free(output)
    }

    /// Bytes of a picture in the file that `cutree` leaves for the next pass: a type, and a number for each block of 16
    /// samples, or of 8; `nil` where there is no such file.
    var treeBytes: Int? {
        let p = parameters.pointee
        guard p.rc.cuTree != 0 else { return nil }
        func blocks(_ size: Int32) -> Int { (Int(size) / 2 + 7) / 8 }
        return 1 + 2 * blocks(p.sourceWidth) * blocks(p.sourceHeight) * (p.rc.qgSize == 8 ? 4 : 1)
    }

    /// How many pictures later than the one that is shown then a picture comes out, at most: libx265 tells nobody, and
    /// these are the numbers that were seen. It waits until it has looked ahead; pictures that are encoded at the same
    /// time wait for each other; and B-frames come out behind those that are shown after them.
    var delay: Int {
        let p = parameters
        let threads = Int(max(p.pointee.frameNumThreads, 1))
        let bFrames = Int(max(p.pointee.bframes, 0))
        guard p.pointee.lookaheadDepth > 0 || bFrames > 0 else { return threads > 1 ? threads : 0 }
        return Int(max(p.pointee.lookaheadDepth, 0)) + bFrames + threads + 2 + (bFrames > 0 ? 3 : 0)
    }

    enum Outcome {
        /// The units of a picture, valid until the next call, which `output` describes.
        case picture(Units)
        case nothing
        case failure
    }

    /// Encodes the picture in `input`, or with `isDraining` takes out what waits.
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
