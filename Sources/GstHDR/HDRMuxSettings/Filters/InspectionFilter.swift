import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRContainer
import HDRExport

/// Reads what copied video says of itself in its first picture, so that the container says the same.
final class InspectionFilter: BinFilter, @unchecked Sendable {
    private let plan: VideoPlan
    private unowned let owner: HDRMuxSettings
    private let header: SourceHeader
    private let durations: PacketDurations
    private var inspection: BitstreamInspection?
    private var isDone = false

    init(_ plan: VideoPlan, _ owner: HDRMuxSettings, _ header: SourceHeader, _ durations: PacketDurations) {
        self.durations = durations
        self.header = header
        self.plan = plan
        self.owner = owner
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_CAPS, !isDone, let codec = plan.codec.inspected {
            var given: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &given)
            var inspection = BitstreamInspection(codec: codec, framing: .byteStream)
            if let given, let structure = gst_caps_get_structure(given, 0),
                let value = gst_structure_get_value(structure, "codec_data"),
                g_type_check_value_holds(value, gst_buffer_get_type()) != 0,
                let data = g_value_get_boxed(value)?.assumingMemoryBound(to: GstBuffer.self)
            {
                try? inspection.read(configuration: data.withBytes { Array($0) } ?? [])
            }
            self.inspection = inspection
        }
        return push(event)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        durations.note(buffer)
        if !isDone, var found = inspection {
            isDone = true
            _ = buffer.withBytes { bytes in try? found.read(accessUnit: bytes) }
            note(found)
            inspection = nil
        }
        return push(buffer)
    }

    /// What GStreamer's demuxers do not hand on: the file's own record, else one that the stream lets make.
    private func dolbyVision(_ found: BitstreamInspection) -> DolbyVisionRecord? {
        if plan.metadata.dynamic == .preserve, let record = header.track?.dolbyVision { return record }
        guard plan.metadata.dynamic == .preserve, found.hasDolbyVisionRPU, !found.hasEnhancementLayer,
            let profile = found.dolbyVisionProfile
        else { return nil }
        return DolbyVisionRecord(
            profile: UInt8(clamping: profile), transfer: found.color.transfer, width: plan.geometry.frame.width,
            height: plan.geometry.frame.height, framesPerSecond: plan.frameRate?.value)
    }

    private func note(_ found: BitstreamInspection) {
        let dolbyVision = dolbyVision(found)
        let settings = owner.settings.current
        owner.container.withLock { container in
            if case .keep = container.color, found.color.isComplete { container.color = .set(found.color) }
            if let dolbyVision { container.dolbyVision = .set(dolbyVision) }
            // Caps from a demuxer are less exact than what the stream itself says.
            if plan.metadata.masteringDisplay == nil, settings.insertsMetadata, let display = found.masteringDisplay {
                container.masteringDisplay = .set(display)
            }
            if plan.metadata.contentLightLevel == .none, settings.insertsMetadata, let level = found.contentLightLevel {
                container.contentLightLevel = .set(level)
            }
        }
    }
}
