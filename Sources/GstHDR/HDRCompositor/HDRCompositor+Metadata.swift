import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRColor
import HDRComposition

/// Dynamic metadata of composed pictures.
extension HDRCompositor {
    /// Gives an HDR canvas, for each format, the dynamic metadata of the lowest visible picture that has some and
    /// shares the canvas's transfer function. Unless the canvas is a copy of one picture, they are marked as stale:
    /// `hdrmux-settings` then measures the light anew.
    /// - Parameters:
    ///   - shown: the pads whose pictures show, from the lowest up.
    ///   - covered: the part of the canvas with pictures on it; `nil` where the canvas is one picture.
    func describe(
        _ output: UnsafeMutablePointer<GstBuffer>, _ shown: [GstHdrCompositorLayer], _ canvas: Canvas,
        covered: PixelRect?
    ) {
        let transfer = canvas.signal.color.transfer
        guard transfer.isHDR else { return }
        let alike = shown.filter { Transfer($0.info.colorimetry.transfer) == transfer }
        for format in DynamicMetadataPayload.Format.allCases {
            let found = alike.compactMap { $0.frame?.pointee.buffer?.metadata(format) }.first
            guard var metadata = found else { continue }
            if let covered {
                metadata.isStale = true
                if format == .dolbyVision { metadata.describe(covered, of: canvas, on: settings.current.background) }
            }
            output.setMetadata(metadata)
        }
    }
}

extension BufferMetadata {
    /// Sets the active area (level 5 of Dolby Vision) to the part of a canvas that pictures cover.
    fileprivate mutating func describe(
        _ covered: PixelRect, of canvas: HDRCompositor.Canvas, on background: GstHdrCompositorBackground
    ) {
        guard var rpu = try? DolbyVisionRPU(payload: payload.bytes), rpu.displayManagement != nil else { return }
        let (canvasWidth, canvasHeight) = (canvas.signal.width, canvas.signal.height)
        var level = DolbyVisionRPU.Level5()
        if background == GST_HDR_COMPOSITOR_BACKGROUND_BLACK, !covered.isEmpty {
            func bar(_ pixels: Int) -> UInt16 { UInt16(clamping: min(max(pixels, 0), 8191)) }
            level.left = bar(covered.x)
            level.top = bar(covered.y)
            level.right = bar(canvasWidth - covered.x - covered.width)
            level.bottom = bar(canvasHeight - covered.y - covered.height)
        }
        rpu.displayManagement?.level5 = level
        guard let bytes = try? rpu.payload() else { return }
        payload = DynamicMetadataPayload(.dolbyVision, bytes)
        (width, height) = (canvasWidth, canvasHeight)
    }
}

extension PixelRect {
    /// The smallest rectangle that contains both.
    func union(_ other: PixelRect) -> PixelRect {
        if isEmpty { return other }
        if other.isEmpty { return self }
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRect(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}
