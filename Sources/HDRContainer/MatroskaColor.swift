import HDRMetadata

/// Matroska's Colour element: RFC 9559 section 5.1.4.1.28.16.
enum MatroskaColor {
    /// Chroma sample location types 0...3 as ChromaSitingHorz and ChromaSitingVert: 1 is collocated, 2 half. Matroska
    /// has no value for types 4 and 5, in which chroma lies at the bottom.
    static let sitings: [(horizontal: UInt8, vertical: UInt8)] = [(1, 2), (2, 2), (1, 1), (2, 1)]

    /// The data of a Colour element with the metadata inserted.
    static func data(
        _ bytes: [UInt8], _ old: EBMLElement?, _ metadata: VideoTrackMetadata
    ) throws(ContainerError) -> [UInt8] {
        let (additions, replaced) = additions(metadata)
        var output: [UInt8] = []
        if let old {
            output = try EBML.rebuild(bytes, old) { (child, output) throws(ContainerError) in
                if replaced.contains(child.id) { return }
                output += bytes[child.start..<child.data.upperBound]
            }
        }
        output += additions
        EBML.renewChecksum(&output)
        return output
    }

    /// The new elements, and the IDs of those that they replace. Their length depends on which values there are and not
    /// on the values themselves, so that later values fit in the same place.
    private static func additions(_ metadata: VideoTrackMetadata) -> (bytes: [UInt8], replaced: Set<UInt32>) {
        var bytes: [UInt8] = []
        // Space that was reserved for light levels is not needed twice.
        var replaced: Set<UInt32> = [MatroskaID.void]

        switch metadata.color {
        case .keep: break
        case .remove:
            replaced.formUnion([
                MatroskaID.matrixCoefficients, MatroskaID.transferCharacteristics, MatroskaID.primaries,
                MatroskaID.range, MatroskaID.chromaSitingHorz, MatroskaID.chromaSitingVert,
            ])
        case .set(let color):
            var values = [
                (MatroskaID.matrixCoefficients, color.matrix),
                (MatroskaID.transferCharacteristics, color.transfer), (MatroskaID.primaries, color.primaries),
            ]
            if let isFull = color.isFullRange { values.append((MatroskaID.range, isFull ? 2 : 1)) }
            if let location = color.chromaLocation, sitings.indices.contains(Int(location)) {
                let siting = sitings[Int(location)]
                values.append((MatroskaID.chromaSitingHorz, siting.horizontal))
                values.append((MatroskaID.chromaSitingVert, siting.vertical))
            }
            for (id, value) in values {
                replaced.insert(id)
                EBML.append(id, number: UInt64(value), to: &bytes)
            }
        }

        if metadata.contentLightLevel != .keep {
            replaced.formUnion([MatroskaID.maxCLL, MatroskaID.maxFALL])
        }
        if case .set(let level) = metadata.contentLightLevel {
            for (id, value) in [(MatroskaID.maxCLL, level.maximum), (MatroskaID.maxFALL, level.frameAverage)] {
                // The value is unknown, so that space for the element is reserved.
                if value == 0 {
                    EBML.appendVoid(count: 5, to: &bytes)
                } else {
                    EBML.append(id, number: UInt64(value), count: 2, to: &bytes)
                }
            }
        }

        if metadata.masteringDisplay != .keep { replaced.insert(MatroskaID.masteringMetadata) }
        if case .set(let display) = metadata.masteringDisplay {
            EBML.append(MatroskaID.masteringMetadata, mastering(display), to: &bytes)
        }
        return (bytes, replaced)
    }

    private static func mastering(_ display: MasteringDisplay) -> [UInt8] {
        let points = [display.red, display.green, display.blue, display.white].flatMap { [$0.x, $0.y] }
        let luminances = [display.maximum, display.minimum]
        let values = points.map { number(Double($0), 50000) } + luminances.map { number(Double($0), 10000) }
        var data: [UInt8] = []
        for (id, value) in zip(MatroskaID.masteringValues, values) { EBML.append(id, float: value, to: &data) }
        return data
    }

    /// `count / steps`, or the next larger number that is not less than `count` when it is multiplied by `steps` again:
    /// readers that truncate, such as matroskademux, would lose a step.
    private static func number(_ count: Double, _ steps: Double) -> Double {
        let quotient = count / steps
        return quotient * steps < count ? quotient.nextUp : quotient
    }

    /// Reads a Colour element into a track.
    static func read(_ bytes: [UInt8], _ colour: EBMLElement, into track: inout VideoTrack) throws(ContainerError) {
        var color = ColorDescription(primaries: 2, transfer: 2, matrix: 2, isFullRange: nil, chromaLocation: nil)
        var isDescribed = false
        var level = ContentLightLevel(maximum: 0, frameAverage: 0)
        var hasLevel = false
        var siting: (UInt8, UInt8) = (0, 0)
        var children = EBML.elements(bytes, in: colour.data)
        while let child = try children.next() {
            if child.id == MatroskaID.masteringMetadata {
                track.masteringValues = try readMastering(bytes, child)
                continue
            }
            guard let value = EBML.unsigned(bytes, child) else { continue }
            let code = UInt8(exactly: value) ?? 2
            switch child.id {
            case MatroskaID.matrixCoefficients: (color.matrix, isDescribed) = (code, true)
            case MatroskaID.transferCharacteristics: (color.transfer, isDescribed) = (code, true)
            case MatroskaID.primaries: (color.primaries, isDescribed) = (code, true)
            case MatroskaID.range where value == 1 || value == 2: (color.isFullRange, isDescribed) = (value == 2, true)
            case MatroskaID.chromaSitingHorz: siting.0 = UInt8(exactly: value) ?? 0
            case MatroskaID.chromaSitingVert: siting.1 = UInt8(exactly: value) ?? 0
            case MatroskaID.maxCLL: (level.maximum, hasLevel) = (UInt16(clamping: value), true)
            case MatroskaID.maxFALL: (level.frameAverage, hasLevel) = (UInt16(clamping: value), true)
            default: break
            }
        }
        if let location = sitings.firstIndex(where: { $0 == siting }) {
            (color.chromaLocation, isDescribed) = (UInt8(location), true)
        }
        if isDescribed { track.color = color }
        if hasLevel { track.contentLightLevel = level }
        track.masteringDisplay = track.masteringValues?.display
    }

    private static func readMastering(
        _ bytes: [UInt8], _ element: EBMLElement
    ) throws(ContainerError) -> VideoTrack.MasteringValues {
        let paths: [WritableKeyPath<VideoTrack.MasteringValues, Double?>] = [
            \.redX, \.redY, \.greenX, \.greenY, \.blueX, \.blueY, \.whiteX, \.whiteY, \.maximum, \.minimum,
        ]
        var values = VideoTrack.MasteringValues()
        var children = EBML.elements(bytes, in: element.data)
        while let child = try children.next() {
            if let index = MatroskaID.masteringValues.firstIndex(of: child.id) {
                values[keyPath: paths[index]] = EBML.float(bytes, child)
            }
        }
        return values
    }
}
