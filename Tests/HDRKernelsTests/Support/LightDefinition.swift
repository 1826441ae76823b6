import HDRColor

@testable import HDRKernels

/// The light of a picture by its definition, pixel by pixel in double precision.
struct LightDefinition {
    let signal: ColorSignal
    let siting: ChromaSiting
    var hlgPeak = 1000.0
    var white = 203.0

    /// The largest of R, G and B of each pixel in cd/m², by rows.
    func light(_ picture: Picture, _ area: PictureArea? = nil) -> [Double] {
        colors(picture, area).map(\.maxComponent)
    }

    /// R, G and B of each pixel in cd/m², by rows.
    func colors(_ picture: Picture, _ area: PictureArea? = nil) -> [SIMD3<Double>] {
        let planes = (0..<3).map { picture[$0] }
        let columns = area?.columns ?? 0..<picture.width
        let rows = area?.rows ?? 0..<picture.height
        return rows.flatMap { y in
            columns.map { x in
                let luma = Double(planes[0][y * picture.width + x])
                let codes = SIMD3(luma, chroma(picture, planes[1], 1, x, y), chroma(picture, planes[2], 2, x, y))
                return components(signal.quantization.decode(codes).limited(0, 1))
            }
        }
    }

    /// The light of each component, in cd/m².
    /// - Parameter rgb: the signal, in [0, 1].
    func components(_ rgb: SIMD3<Double>) -> SIMD3<Double> {
        if signal.transfer == .hlg { return HLG<Double>(peak: hlgPeak).toDisplay(rgb) }
        return rgb.map { signal.transfer.eotf($0, white: white) }
    }

    /// Between the chroma samples around a place, by the distance from each.
    private func chroma(_ picture: Picture, _ plane: [Int], _ component: Int, _ x: Int, _ y: Int) -> Double {
        let (width, height) = picture.extent(component)
        func taps(_ place: Int, _ shift: Int, _ isCosited: Bool, _ count: Int) -> [(Int, Double)] {
            if shift == 0 { return [(place, 1)] }
            let position = (Double(place) - (isCosited ? 0 : 0.5)) / 2
            let first = position.rounded(.down)
            func inside(_ index: Double) -> Int { min(max(Int(index), 0), count - 1) }
            return [(inside(first), 1 - (position - first)), (inside(first + 1), position - first)]
        }
        let across = taps(x, picture.layout.horizontalShift, siting.horizontallyCosited, width)
        let down = taps(y, picture.layout.verticalShift, siting.verticallyCosited, height)
        return down.reduce(0) { sum, v in
            sum + across.reduce(0) { $0 + Double(plane[v.0 * width + $1.0]) * $1.1 } * v.1
        }
    }

    func measure(_ picture: Picture, _ area: PictureArea? = nil) -> FrameLight {
        let light = light(picture, area).sorted()
        let rank = Int((Double(light.count) * 0.9999).rounded(.up))
        return FrameLight(
            maximum: light.last!, average: light.reduce(0, +) / Double(light.count), percentile: light[rank - 1])
    }
}
