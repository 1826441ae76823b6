import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRExport

extension HDRCompositor {
    /// The values of the properties. Every field holds a value of its property's range.
    struct Settings: Equatable, Sendable {
        var background = GST_HDR_COMPOSITOR_DEFAULT_BACKGROUND
        /// Whether a width or height of 0 stands for the picture's own.
        var zeroIsUnscaled = GST_HDR_COMPOSITOR_DEFAULT_ZERO_SIZE_IS_UNSCALED != 0
        var range = GST_HDR_COMPOSITOR_DEFAULT_DYNAMIC_RANGE
        var blendSpace = GST_HDR_COMPOSITOR_DEFAULT_BLEND_SPACE
        var metadataPolicy = GST_HDR_COMPOSITOR_DEFAULT_METADATA_POLICY
        /// The number of threads; 0 for one per core.
        var threads = GST_HDR_COMPOSITOR_DEFAULT_N_THREADS
        /// How long an application's compositor may take for a picture, in ns; 0 for any time.
        var requestTimeout = UInt64(GST_HDR_COMPOSITOR_DEFAULT_REQUEST_TIMEOUT)
        var scaling = GST_HDR_COMPOSITOR_DEFAULT_SCALING_METHOD
        /// The form in which handlers of the signal `compose` get the pictures of the pads.
        var composeSources = GST_HDR_COMPOSITOR_DEFAULT_COMPOSE_SOURCES
    }
}

extension HDRCompositor.Settings {
    /// The maximum of n-threads; larger values of max-threads, which has no maximum, are clamped to it.
    private static let mostThreads: guint = 256

    mutating func set(_ property: GstHdrCompositorProp, _ value: UnsafePointer<GValue>) {
        func choice() -> UInt32 { UInt32(bitPattern: g_value_get_enum(value)) }
        switch property {
        case GST_HDR_COMPOSITOR_PROP_BACKGROUND: background = GstHdrCompositorBackground(choice())
        case GST_HDR_COMPOSITOR_PROP_ZERO_SIZE_IS_UNSCALED: zeroIsUnscaled = g_value_get_boolean(value) != 0
        case GST_HDR_COMPOSITOR_PROP_DYNAMIC_RANGE: range = GstHdrCompositorRange(choice())
        case GST_HDR_COMPOSITOR_PROP_BLEND_SPACE: blendSpace = GstHdrCompositorBlendSpace(choice())
        case GST_HDR_COMPOSITOR_PROP_HDR_METADATA_POLICY: metadataPolicy = GstHdrCompositorMetadataPolicy(choice())
        case GST_HDR_COMPOSITOR_PROP_N_THREADS, GST_HDR_COMPOSITOR_PROP_MAX_THREADS:
            threads = min(g_value_get_uint(value), Self.mostThreads)
        case GST_HDR_COMPOSITOR_PROP_SCALING_METHOD: scaling = GstHdrCompositorScaling(choice())
        case GST_HDR_COMPOSITOR_PROP_REQUEST_TIMEOUT: requestTimeout = UInt64(g_value_get_uint64(value))
        case GST_HDR_COMPOSITOR_PROP_COMPOSE_SOURCES: composeSources = GstHdrCompositorSources(choice())
        default: break
        }
    }

    func get(_ property: GstHdrCompositorProp, _ value: UnsafeMutablePointer<GValue>) {
        func set(_ choice: UInt32) { g_value_set_enum(value, Int32(bitPattern: choice)) }
        switch property {
        case GST_HDR_COMPOSITOR_PROP_BACKGROUND: set(background.rawValue)
        case GST_HDR_COMPOSITOR_PROP_ZERO_SIZE_IS_UNSCALED: g_value_set_boolean(value, zeroIsUnscaled ? 1 : 0)
        case GST_HDR_COMPOSITOR_PROP_DYNAMIC_RANGE: set(range.rawValue)
        case GST_HDR_COMPOSITOR_PROP_BLEND_SPACE: set(blendSpace.rawValue)
        case GST_HDR_COMPOSITOR_PROP_HDR_METADATA_POLICY: set(metadataPolicy.rawValue)
        case GST_HDR_COMPOSITOR_PROP_N_THREADS, GST_HDR_COMPOSITOR_PROP_MAX_THREADS: g_value_set_uint(value, threads)
        case GST_HDR_COMPOSITOR_PROP_SCALING_METHOD: set(scaling.rawValue)
        case GST_HDR_COMPOSITOR_PROP_REQUEST_TIMEOUT: g_value_set_uint64(value, guint64(requestTimeout))
        case GST_HDR_COMPOSITOR_PROP_COMPOSE_SOURCES: set(composeSources.rawValue)
        default: break
        }
    }

    var canvasBackground: CanvasBackground {
        switch background {
        case GST_HDR_COMPOSITOR_BACKGROUND_CHECKER: .checker
        case GST_HDR_COMPOSITOR_BACKGROUND_WHITE: .white
        case GST_HDR_COMPOSITOR_BACKGROUND_TRANSPARENT: .transparent
        default: .black
        }
    }

    var kernel: ResamplingFilter.Kernel { scaling == GST_HDR_COMPOSITOR_SCALING_BILINEAR ? .bilinear : .lanczos }

    var isTransparent: Bool { background == GST_HDR_COMPOSITOR_BACKGROUND_TRANSPARENT }

    /// The dynamic range that the property requests; `nil` for that of the pads.
    var wantedRange: DynamicRange? {
        switch range {
        case GST_HDR_COMPOSITOR_RANGE_SDR: .sdr
        case GST_HDR_COMPOSITOR_RANGE_HLG: .hlg
        case GST_HDR_COMPOSITOR_RANGE_PQ: .pq
        default: nil
        }
    }

    /// The placement of a pad's picture on the canvas.
    func placement(_ pad: GstHdrCompositorPadSettings) -> LayerPlacement {
        var placement = LayerPlacement()
        (placement.x, placement.y) = (Int(pad.xpos), Int(pad.ypos))
        placement.width = size(pad.width)
        placement.height = size(pad.height)
        placement.sizing = pad.sizing_policy == GST_HDR_COMPOSITOR_SIZING_POLICY_NONE ? .fill : .keepAspectRatio
        (placement.cropLeft, placement.cropRight) = (Int(pad.crop_left), Int(pad.crop_right))
        (placement.cropTop, placement.cropBottom) = (Int(pad.crop_top), Int(pad.crop_bottom))
        return placement
    }

    /// The rotation of a pad's picture.
    static func orientation(_ pad: GstHdrCompositorPadSettings) -> LayerOrientation {
        switch pad.video_direction {
        case GST_VIDEO_ORIENTATION_90R: .right
        case GST_VIDEO_ORIENTATION_180: .upsideDown
        case GST_VIDEO_ORIENTATION_90L: .left
        case GST_VIDEO_ORIENTATION_HORIZ: LayerOrientation(mirrorsColumns: true)
        case GST_VIDEO_ORIENTATION_VERT: LayerOrientation(mirrorsRows: true)
        case GST_VIDEO_ORIENTATION_UL_LR: LayerOrientation(isTransposed: true)
        case GST_VIDEO_ORIENTATION_UR_LL:
            LayerOrientation(isTransposed: true, mirrorsColumns: true, mirrorsRows: true)
        default: .identity
        }
    }

    /// Whether nothing of a pad's picture shows: its wipe has not begun, or it is fully transparent. As in GStreamer's
    /// `compositor`, the operator source then leaves the canvas unchanged too.
    static func isHidden(_ pad: GstHdrCompositorPadSettings) -> Bool {
        pad.wipe != GST_HDR_COMPOSITOR_WIPE_NONE && pad.wipe_progress <= 0 || pad.alpha <= 0
    }

    private func size(_ size: gint) -> Int? { size > 0 ? Int(size) : size == 0 && !zeroIsUnscaled ? 0 : nil }

    func blendOperator(_ pad: GstHdrCompositorPadSettings) -> BlendOperator {
        switch pad.operation {
        case GST_HDR_COMPOSITOR_OPERATOR_SOURCE: .source
        case GST_HDR_COMPOSITOR_OPERATOR_ADD: .add
        default: .over
        }
    }
}

extension DynamicRange {
    init(_ transfer: Transfer) {
        switch transfer {
        case .hlg: self = .hlg
        case .pq: self = .pq
        default: self = .sdr
        }
    }
}
