extension ST209450Metadata {
    /// Violations of the constraints in the draft's clauses 6 and C.2, as readable text; empty where there are none.
    package var findings: [String] {
        var found: [String] = []
        if let white = hdrReferenceWhite, !(1...50000).contains(white) {
            found.append("hdr_reference_white is \(white), and 1 to 50000, which is 10000 cd/m², are allowed")
        }
        if reserved != SIMD2() { found.append("reserved bits are not 0") }
        guard let map = adaptiveToneMap else { return found }
        if map.baselineHDRHeadroom > Self.largestHeadroom {
            found.append("baseline_hdr_headroom is \(map.baselineHDRHeadroom), and 60000 is the maximum")
        }
        switch map.mapping {
        case .referenceWhite(let reserved): if reserved != 0 { found.append("reserved bits are not 0") }
        case .alternateImages(let alternate): alternate.find(&found, baseline: map.baselineHDRHeadroom)
        }
        return found
    }

    fileprivate static let largestHeadroom: UInt16 = 60000
}

extension ST209450Metadata.AlternateImages {
    fileprivate func find(_ found: inout [String], baseline: UInt16) {
        if uncoded > 0 { found.append("num_alternate_images is \(images.count + Int(uncoded)), and 4 is the maximum") }
        if case .custom(let values) = chromaticities, values.contains(where: { $0 > 50000 }) {
            found.append("a chromaticity is above 50000, which is 1")
        }
        let headrooms = images.map(\.hdrHeadroom)
        if headrooms.contains(where: { $0 > ST209450Metadata.largestHeadroom }) {
            found.append("an alternate image's headroom is above 60000, the maximum")
        }
        if zip(headrooms, headrooms.dropFirst()).contains(where: >=) {
            found.append("the alternate images' headrooms do not rise")
        }
        if headrooms.contains(baseline) { found.append("an alternate image has the headroom of the coded picture") }
        for (index, image) in images.enumerated() {
            image.componentMix.find(&found, "alternate image \(index)")
            image.gainCurve.find(&found, "alternate image \(index)")
        }
    }
}

extension ST209450Metadata.ComponentMix {
    fileprivate func find(_ found: inout [String], _ place: String) {
        switch self {
        case .maximum(let reserved), .component(let reserved), .balanced(let reserved):
            if reserved != 0 { found.append("\(place): reserved bits are not 0") }
        case .custom(let weights):
            if weights.allSatisfy({ ($0 ?? 0) == 0 }) { found.append("\(place): all weights of components are 0") }
            if weights.contains(where: { ($0 ?? 0) > 50000 }) {
                found.append("\(place): a weight of components is above 50000, which is 1")
            }
        }
    }
}

extension ST209450Metadata.GainCurve {
    fileprivate func find(_ found: inout [String], _ place: String) {
        if reserved != 0 { found.append("\(place): reserved bits are not 0") }
        let steps = zip(controlPoints, controlPoints.dropFirst())
        if steps.contains(where: { $0.x > $1.x || $0.x == $1.x && $0.y != $1.y }) {
            found.append("\(place): the curve's points do not rise in x")
        }
        if controlPoints.contains(where: { $0.x > 64000 }) {
            found.append("\(place): a point's x is above 64000, which is 64 times reference white")
        }
        if controlPoints.contains(where: { $0.y > 60000 }) {
            found.append("\(place): a point's gain is above 60000, which is 6 stops")
        }
        if !usesPCHIPSlopes, controlPoints.contains(where: { !(1...35999).contains($0.theta) }) {
            found.append("\(place): a point's slope is out of 1...35999")
        }
    }
}
