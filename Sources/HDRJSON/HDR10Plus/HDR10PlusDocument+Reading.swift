import HDRBitstream

extension HDR10PlusDocument {
    /// Reads the text of a file.
    ///
    /// Throws where it is no JSON, where a field of SceneInfo is missing or does not fit the bitstream, and where a
    /// picture has several windows, whose regions the form cannot express. Scenes are derived from the pictures'
    /// metadata, not from what the text says about them.
    package init(_ text: some Collection<UInt8>) throws(JSONError) { try self.init(try JSON(text)) }

    package init(_ json: JSON) throws(JSONError) {
        guard case .object = json else {
            throw JSONError("it is no object, and an object with SceneInfo is wanted: name another file")
        }
        guard let scenes = json["SceneInfo"] else {
            throw JSONError("there is no SceneInfo in it, which has the metadata of the pictures: name another file")
        }
        guard let entries = scenes.array else { throw JSONError("SceneInfo in the JSON is no array") }
        // The version is "1.0"; a document without it is of version 1.
        let version = json["JSONInfo"]?["Version"]?.string ?? ""
        frames = []
        frames.reserveCapacity(entries.count)
        for (index, entry) in entries.enumerated() {
            var metadata = try HDR10PlusMetadata(entry, "SceneInfo[\(index)]")
            metadata.applicationVersion = version.hasPrefix("0") ? 0 : 1
            frames.append(metadata)
        }
        tool = json["ToolInfo"]?["Tool"]?.string ?? ""
        toolVersion = json["ToolInfo"]?["Version"]?.string ?? ""
    }
}

extension HDR10PlusMetadata {
    /// - Parameter path: the entry's name in errors.
    fileprivate init(_ entry: JSON, _ path: String) throws(JSONError) {
        self.init()
        let count = try entry.member("NumberOfWindows", of: path).integer(1...3, "\(path).NumberOfWindows")
        guard count == 1 else {
            throw JSONError("\(path) has \(count) windows, and the JSON does not say where they are: keep 1")
        }
        let target = "TargetedSystemDisplayMaximumLuminance"
        targetedSystemDisplayMaximumLuminance = UInt32(
            truncatingIfNeeded: try entry.member(target, of: path).integer(0...0x7FF_FFFF, "\(path).\(target)"))
        windows = [try Window(entry, path)]
    }
}

extension HDR10PlusMetadata.Window {
    private static let light = 0...0x1_FFFF

    fileprivate init(_ entry: JSON, _ path: String) throws(JSONError) {
        self.init()
        let name = "\(path).LuminanceParameters"
        let parameters = try entry.member("LuminanceParameters", of: path)
        let largest = try parameters.member("MaxScl", of: name).integers(Self.light, "\(name).MaxScl")
        guard largest.count == 3 else {
            throw JSONError("\(name).MaxScl has \(largest.count) numbers, and red, green and blue are 3")
        }
        for component in 0..<3 { maxSCL[component] = UInt32(truncatingIfNeeded: largest[component]) }
        averageMaxRGB = UInt32(
            truncatingIfNeeded: try parameters.member("AverageRGB", of: name).integer(Self.light, "\(name).AverageRGB"))
        distributionMaxRGB = try Self.distribution(
            try parameters.member("LuminanceDistributions", of: name), "\(name).LuminanceDistributions")
        if let curve = entry["BezierCurveData"], curve != .null {
            toneMapping = try .init(curve, "\(path).BezierCurveData")
        }
    }

    private static func distribution(
        _ json: JSON, _ path: String
    ) throws(JSONError) -> [HDR10PlusMetadata.Percentile] {
        let indices = try json.member("DistributionIndex", of: path).integers(0...127, "\(path).DistributionIndex")
        let values = try json.member("DistributionValues", of: path).integers(light, "\(path).DistributionValues")
        guard indices.count == values.count, values.count <= 15 else {
            throw JSONError("\(path) has \(indices.count) indices and \(values.count) values: use as many, at most 15")
        }
        return zip(indices, values).map {
            .init(percentage: UInt8(truncatingIfNeeded: $0), percentile: UInt32(truncatingIfNeeded: $1))
        }
    }
}

extension HDR10PlusMetadata.ToneMapping {
    fileprivate init(_ json: JSON, _ path: String) throws(JSONError) {
        let x = try json.member("KneePointX", of: path).integer(0...4095, "\(path).KneePointX")
        let y = try json.member("KneePointY", of: path).integer(0...4095, "\(path).KneePointY")
        let anchors = try json.member("Anchors", of: path).integers(0...1023, "\(path).Anchors")
        guard anchors.count <= 15 else {
            throw JSONError("\(path).Anchors has \(anchors.count) numbers, and 15 is the maximum")
        }
        self.init(
            kneePoint: SIMD2(UInt16(truncatingIfNeeded: x), UInt16(truncatingIfNeeded: y)),
            bezierCurveAnchors: anchors.map { UInt16(truncatingIfNeeded: $0) })
    }
}
