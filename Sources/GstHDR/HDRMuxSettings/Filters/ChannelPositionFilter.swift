import CGStreamer
import CGstHDR
import GstBridge
import HDRExport

/// Changes the channel mask in caps of raw audio, as planned, and gives the planned matrix to the `audioconvert` behind
/// it. Caps of other channels, which may come later in a stream, pass as they are and are mixed.
final class ChannelPositionFilter: BinFilter, @unchecked Sendable {
    private let placement: ChannelPlacement
    private let converter: Link

    /// - Parameter converter: the `audioconvert`.
    init(_ placement: ChannelPlacement, _ converter: Link) {
        self.placement = placement
        self.converter = converter
    }

    /// Accepts caps that the converter takes only with another matrix, which it gets before them.
    override func query(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        guard placement.matrix != nil, query.pointee.type == GST_QUERY_ACCEPT_CAPS else { return false }
        gst_query_set_accept_caps_result(query, 1)
        return true
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS else { return push(event) }
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let given, let source = AudioSource(given) else { return push(event) }
        let isPlanned = placement.applies(channels: source.channels, channelMask: source.channelMask)
        // More channels than audioconvert takes keep the matrix, for which it refuses them.
        guard var matrix = placement.matrix, isPlanned || (1..<64).contains(source.channels) else {
            return pushPlaced(event, given, isPlanned)
        }
        if !isPlanned { matrix = placement.mixing(channels: source.channels, channelMask: source.channelMask) }
        // Up to GStreamer 1.24 audioconvert takes a matrix when caps come; later ones refuse any that does not suit the
        // caps that they have. An empty one suits all.
        converter.set("mix-matrix", hasCaps ? "< >" : Self.text(matrix))
        let isDone = pushPlaced(event, given, isPlanned)
        if hasCaps && isDone { converter.set("mix-matrix", Self.text(matrix)) }
        hasCaps = hasCaps || isDone && Self.isChecked
        return isDone
    }

    /// Whether audioconvert has caps that it compares a matrix with; streaming thread only.
    private var hasCaps = false
    private static let isChecked = GStreamerVersion.isAtLeast(1, 25)

    /// Pushes caps, whose channels get the positions that the plan takes them for.
    private func pushPlaced(
        _ event: UnsafeMutablePointer<GstEvent>, _ given: UnsafeMutablePointer<GstCaps>, _ isPlanned: Bool
    ) -> Bool {
        guard isPlanned, let mask = placement.takenFor, let copy = gst_caps_copy(given) else { return push(event) }
        defer { gst_caps_unref(copy) }
        for structure in Caps.structures(copy) { Self.set(mask, structure) }
        gst_mini_object_unref(event.asMiniObject)
        return gst_event_new_caps(copy).map { push($0) } ?? false
    }

    private static func text(_ matrix: [[Double]]) -> String {
        func list(_ items: [String]) -> String { "<" + items.joined(separator: ", ") + ">" }
        return list(matrix.map { row in list(row.map { "(float)\($0)" }) })
    }

    /// - Parameter mask: 0 for one channel, which has no mask in caps.
    private static func set(_ mask: UInt64, _ structure: Caps.Structure) {
        guard mask != 0 else {
            gst_structure_remove_field(structure, "channel-mask")
            return
        }
        var value = GValue()
        g_value_init(&value, gst_bitmask_get_type())
        gst_value_set_bitmask(&value, guint64(mask))
        gst_structure_take_value(structure, "channel-mask", &value)
    }
}
