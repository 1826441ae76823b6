import HDRMetadata

extension VideoPlan {
    /// A readable summary, line by line.
    package var summary: [String] { summary(encoder: nil) }

    /// A readable summary, line by line.
    /// - Parameter encoder: the encoder, where it is known.
    package func summary(encoder: EncoderOptions?) -> [String] {
        var lines = ["video: " + head(fed: encoder?.rawFormat ?? rawFormat)]
        if let encoder { lines.append("encoder: \(encoder.factory)" + (encoder.isHardware ? ", in hardware" : "")) }
        if !isPassthrough { lines.append("picture: " + picture) }
        lines.append("color: " + colorText)
        if !metadataText.isEmpty { lines.append("HDR metadata: " + metadataText) }
        if !isPassthrough { lines.append("rate: " + rateText) }
        if let cleanAperture {
            lines.append(
                "clean aperture: \(cleanAperture.width)x\(cleanAperture.height) at \(cleanAperture.horizontalOffset), "
                    + "\(cleanAperture.verticalOffset)")
        }
        return lines + warnings.map { "note: " + $0 }
    }

    private func head(fed format: String?) -> String {
        if isPassthrough { return "\(codec.title), copied, \(entry)" }
        let profileText = profile.map { $0 == .proRes ? "" : " \($0)" } ?? ""
        return codec.title + profileText + (level.map { " level \($0)" } ?? "")
            + ", fed with \(format ?? "nothing"), \(entry)"
    }

    private var entry: String { (fileType == .mpegts ? "stream type " : "sample entry ") + sampleEntry }

    private var picture: String {
        var text = "\(geometry.frame)"
        if !geometry.pixelAspectRatio.equals(.one) { text += ", pixels \(geometry.pixelAspectRatio)" }
        if let frameRate { text += ", \(frameRate) frames/s" }
        if resamplesFrames { text += " by dropping and repeating" }
        if geometry.isMirrored { text += ", mirrored" }
        if geometry.turn != 0 { text += ", turned by \(geometry.turn) degrees" }
        if geometry.displayRotation != 0 { text += ", players turn it by \(geometry.displayRotation) degrees" }
        if geometry.crop != .zero {
            let crop = geometry.crop
            text += ", cropped by \(crop.left) left, \(crop.top) top, \(crop.right) right, \(crop.bottom) bottom"
        }
        if geometry.isScaled { text += ", scaled to \(geometry.scaled)" }
        if geometry.borders != .zero { text += ", with black borders" }
        return deinterlaces ? text + ", deinterlaced" : text
    }

    private var colorText: String {
        func name(_ color: ColorDescription?) -> String {
            guard let color else { return "untagged" }
            return "\(ColorProperties(color.primaries, color.transfer, color.matrix))"
        }
        let target = name(color.target)
        let location = ColorDescription(chromaLocation: chromaLocation).chromaLocationName
        let sited = location.map { ", chroma \($0)" } ?? ""
        return switch color.action {
        case .keep: target + " as the source" + sited
        case .tag where color.assumed?.matrix == 0: target + ", which untagged RGB is taken for" + sited
        case .tag: target + ", tagged without conversion" + sited
        case .convert: target + ", converted from \(name(color.source))" + sited
        case .untagged: "untagged as the source"
        }
    }

    private var metadataText: String {
        var parts: [String] = []
        if let display = metadata.masteringDisplay { parts.append("mastering display \(display.text)") }
        switch metadata.contentLightLevel {
        case .none: break
        case .fixed(let level): parts.append("content light level \(level.text)")
        case .measured: parts.append("content light level measured")
        }
        if let ambient = metadata.ambientViewing { parts.append("ambient viewing environment \(ambient.text)") }
        if isPassthrough {
            let dynamic = metadata.dynamic
            let reason = dynamic.reason.isEmpty ? "" : ", because \(dynamic.reason)"
            parts.append("dynamic metadata " + (dynamic.action == .strip ? "left out" : "kept as they are") + reason)
        } else if color.dynamicRange == .pq, metadata.masteringDisplay == nil {
            // HDR10 requires a mastering display in addition to PQ (CTA-861.3).
            parts.append("no mastering display, which HDR10 asks for")
        }
        if !isPassthrough, let dynamic = metadata.dynamic.summary { parts.append(dynamic) }
        return parts.joined(separator: ", ")
    }

    private var rateText: String {
        let expected = "\((Double(expectedBitRate) / 1e5).rounded() / 10) Mbit/s"
        let text =
            switch rate {
            case .averageBitRate: "\(expected) on average"
            case .quality(let quality): "constant quality \(quality.shown) of 1, about \(expected)"
            case .codec, .copied: "about \(expected)"
            }
        guard keyFrameInterval > 0 else { return text }
        return text + ", a key frame every \(keyFrameInterval) frames, \(bFrames) B-frames"
    }
}

extension AudioPlan {
    /// A readable summary in one line.
    package var summary: String {
        if isPassthrough { return "audio: \(codec.title), copied" }
        let encoded = "audio: \(codec.title), \(channels) channels, \(sampleRate) Hz, \(bitRate / 1000) kbit/s"
        return encoded + (placement?.warning == nil ? "" : ", mixed")
    }
}
