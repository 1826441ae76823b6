import CX265
import HDRConcurrency

/// An open encoder of libx265. It belongs to one thread at a time.
final class X265Encoder {
    let api: UnsafePointer<x265_api>
    private let encoder: OpaquePointer
    /// The parameters as the encoder has completed them, and as they may be changed.
    private let parameters: UnsafeMutablePointer<x265_param>
    let input: UnsafeMutablePointer<x265_picture>
    let output: UnsafeMutablePointer<x265_picture>
    /// The parameter sets and the messages at the start of the stream.
    private(set) var headers: [UInt8] = []
    /// The parameter sets alone: VPS, SPS and PPS.
    private(set) var parameterSets: [UInt8] = []

    typealias Units = UnsafeBufferPointer<x265_nal>

    /// libx265 fills tables of the process when the first encoder opens, and guards some of them by no lock.
    private static let opening = Locked(())

    /// - Returns: `nil` where libx265 refuses the parameters.
    init?(_ source: X265Parameters) {
        let api = source.api
        let pointer = source.pointer
        guard let encoder = Self.opening.withLock({ _ in api.pointee.encoder_open(pointer) }) else { return nil }
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

    /// VPS, SPS and PPS: H.265 table 7-1.
    private static let parameterTypes: ClosedRange<UInt32> = 32...34

    deinit {
        Self.opening.withLock { _ in api.pointee.encoder_close(encoder) }
        // The texts in it are the encoder's.
        api.pointee.param_free(parameters)
        api.pointee.picture_free(input)
        api.pointee.picture_free(output)
    }

    /// The most pictures that the encoder holds when it gives out the first: those it looks ahead at, and those that
    /// are being encoded at the same time.
    var delay: Int {
        let p = parameters
        let lookahead = Int(max(p.pointee.lookaheadDepth, 0)) + Int(max(p.pointee.bframes, 0))
        return lookahead + max(Int(p.pointee.frameNumThreads) - 1, 0) + 1
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

    /// Changes the average bit rate, in kbit/s.
    func setBitrate(_ bitrate: Int32) -> Bool {
        guard parameters.pointee.rc.rateControlMode == Int32(X265_RC_ABR.rawValue) else { return false }
        parameters.pointee.rc.bitrate = bitrate
        return api.pointee.encoder_reconfig(encoder, parameters) == 0
    }

    var statistics: x265_stats {
        var statistics = x265_stats()
        api.pointee.encoder_get_stats(encoder, &statistics, UInt32(MemoryLayout<x265_stats>.size))
        return statistics
    }
}
