import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRColor
import HDRExport
import HDRKernels
import HDRMetadata

/// Puts the planned dynamic metadata on pictures in front of the encoder, which hands them on with the picture.
final class PictureMetadataFilter: BinFilter, @unchecked Sendable {
    private let plan: VideoPlan
    private let source: FrameSize
    private var maker: PictureMetadataMaker?
    private var info = GstVideoInfo()
    private var signal: VideoSignal?
    private var layout: DefaultLayout?
    private var meter: LightMeter?
    private var plusMeter: HDR10PlusMeter?
    private var pool: RowPool?
    private var statistics = LightStatistics()
    private var hasComplained = false

    /// - Parameter source: pixels of the pictures that the bin gets.
    init(_ plan: VideoPlan, source: FrameSize) {
        self.plan = plan
        self.source = source
    }

    override func stop() {
        maker = nil
        meter = nil
        plusMeter = nil
        pool = nil
        hasComplained = false
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_CAPS {
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            if let caps { prepare(caps) }
        }
        return push(event)
    }

    private func prepare(_ caps: UnsafeMutablePointer<GstCaps>) {
        meter = nil
        plusMeter = nil
        guard gst_video_info_from_caps(&info, caps) != 0, let signal = try? VideoSignal(info) else { return }
        self.signal = signal
        layout = DefaultLayout(info)
        if maker == nil {
            maker = PictureMetadataMaker(plan, source: source, interval: SceneDetection.interval(info))
        }
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard maker != nil else { return push(buffer) }
        let own = DynamicMetadataPayload.Format.allCases.compactMap { buffer.metadata($0) }
        let light = maker?.measures(.dolbyVision, own) == true ? measure(buffer) : nil
        let distribution = maker?.measures(.hdr10Plus, own) == true ? measureForHDR10Plus(buffer) : nil
        let payloads = maker?.payloads(own, light, distribution) ?? []
        if let problem = maker?.problem, !hasComplained {
            hasComplained = true
            warning("dynamic metadata of a picture are replaced by those of the one before: \(problem)")
        }
        guard !own.isEmpty || !payloads.isEmpty, let writable = buffer.writable() else { return push(buffer) }
        writable.removeMetadata()
        for payload in payloads {
            writable.setMetadata(BufferMetadata(payload: payload, width: Int(info.width), height: Int(info.height)))
        }
        return push(writable)
    }

    // MARK: Light

    private func rowPool(_ signal: VideoSignal) -> RowPool {
        if let pool { return pool }
        let made = RowPool(threads: max(1, min(Int(g_get_num_processors()), signal.height / 64)))
        pool = made
        return made
    }

    /// All pixels' light but that of the black borders that scaling adds; `nil` where it cannot be measured.
    private func measureForHDR10Plus(_ buffer: UnsafeMutablePointer<GstBuffer>) -> PQDistribution? {
        guard let signal, let layout else { return nil }
        if plusMeter == nil { plusMeter = HDR10PlusMeter(signal, pool: rowPool(signal)) }
        guard let plusMeter else { return nil }
        let borders = plan.geometry.borders
        let (left, top) = (min(max(borders.left, 0), signal.width), min(max(borders.top, 0), signal.height))
        let area = PictureArea(
            columns: left..<max(left, signal.width - max(borders.right, 0)),
            rows: top..<max(top, signal.height - max(borders.bottom, 0)))
        let found = info.withMappedFrame(buffer) { frame in
            FrameView(frame, (signal.width, signal.height), signal.layout, layout).flatMap {
                plusMeter.measure(
                    $0, area: area, isInterlaced: signal.layout.verticalShift > 0 && frame.isInterlaced)
            }
        }
        return found ?? nil
    }

    /// A picture's light without the black borders that scaling adds; `nil` where it cannot be measured.
    private func measure(_ buffer: UnsafeMutablePointer<GstBuffer>) -> LightStatistics? {
        guard let signal, let layout else { return nil }
        let pool = rowPool(signal)
        if meter == nil {
            var options = LightMeter.Options()
            options.gamut = signal.color.primaries
            meter = LightMeter(
                layout: signal.layout, signal: signal.color, siting: signal.siting, width: signal.width,
                height: signal.height, options: options, threads: pool.threads,
                instructionSet: CPUChoice.current.instructionSet)
        }
        guard let meter else { return nil }
        let isMeasured = info.withMappedFrame(buffer) { frame in
            guard let view = FrameView(frame, (signal.width, signal.height), signal.layout, layout) else {
                return false
            }
            meter.begin()
            pool.measureFrame(view, meter, isInterlaced: signal.layout.verticalShift > 0 && frame.isInterlaced)
            return true
        }
        guard isMeasured == true else { return nil }
        meter.read(into: &statistics)
        let borders = plan.geometry.borders
        guard borders != .zero, let black = statistics.histogram.first else { return statistics }
        let inner =
            max(signal.width - borders.left - borders.right, 0) * max(signal.height - borders.top - borders.bottom, 0)
        let share = 1 - Double(inner) / Double(max(signal.width * signal.height, 1))
        let outside = min(UInt32(clamping: Int(share * Double(statistics.pixels))), black)
        var inside = statistics
        inside.histogram[0] = black - outside
        inside.pixels -= Int(outside)
        return inside
    }
}
