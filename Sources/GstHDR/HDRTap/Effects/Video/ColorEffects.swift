import HDRColor
import HDREffects

/// Effects that change colour.
extension VideoEffects {
    static let exposure = kind(
        "exposure", "GstHdrExposure", Exposure(),
        [
            .double(
                "stops", "Stops", "Exposure change, in stops; each doubles light, and a negative one halves it",
                Exposure.stopsRange, unit: "stops", \.stops, of: Exposure())
        ])

    static let whiteBalance = kind(
        "white-balance", "GstHdrWhiteBalance", WhiteBalance(),
        [
            .double(
                "temperature", "Temperature",
                "Correlated colour temperature of the light in the scene, in kelvin; higher values make the picture "
                    + "warmer, 6504: unchanged",
                WhiteBalance.temperatureRange, unit: "K", \.temperature, of: WhiteBalance()),
            .double(
                "tint", "Tint",
                "How green the light in the scene was, in 1/3000 of CIE 1960 uv perpendicular to the daylight locus; "
                    + "higher values make the picture more magenta, 0: unchanged",
                WhiteBalance.tintRange, \.tint, of: WhiteBalance()),
        ])

    static let saturation = kind(
        "saturation", "GstHdrSaturation", Saturation(),
        [
            .double(
                "saturation", "Saturation",
                "Factor of the distance of colours from the grey of the same luminance; 0: greys, 1: unchanged",
                Saturation.range, \.saturation, of: Saturation())
        ])

    static let sepia = kind(
        "sepia", "GstHdrSepia", Sepia(),
        [
            .double(
                "intensity", "Intensity", "Strength of the sepia tone; 0: unchanged, 1: the tone alone",
                Sepia.intensityRange, \.intensity, of: Sepia()),
            .choice(
                "mode", "Mode", "How the sepia tone is computed", typeName: "GstHdrSepiaMode",
                [
                    ("luminance", "Keeps the luminance of each pixel", Sepia.Form.luminance),
                    ("classic", "The matrix in common use, which makes white brighter", .classic),
                ], \.form, of: Sepia()),
        ])

    static let invert = kind(
        "invert", "GstHdrInvert", Invert(),
        [
            .double(
                "headroom", "Headroom",
                "The light that black becomes, as a multiple of the reference white; 0: the stream's own headroom, "
                    + "from its mastering display, else from 1000 cd/m2",
                Invert.headroomRange, \.headroom, of: Invert())
        ])

    static let colorMatrix = kind(
        "color-matrix", "GstHdrColorMatrix", ColorMatrix(.identity),
        [
            EffectParameter(
                property: EffectProperty(
                    "matrix", "Matrix",
                    "Matrix for red, green and blue in linear light, row by row: 9 numbers, or 12 where each row "
                        + "ends in an offset",
                    .numbers(items: "9 or 12 numbers")),
                read: { .numbers($0.numbers) },
                write: { matrix, value in
                    guard case .numbers(let numbers) = value else { return nil }
                    guard let made = ColorMatrix(numbers: numbers) else {
                        let most = Int(ColorMatrix.largest)
                        if numbers.contains(where: \.isNaN) { return "an item of it is not a number" }
                        return [9, 12].contains(numbers.count)
                            ? "a number of it is not between -\(most) and \(most)"
                            : "it is to have 9 or 12 numbers, by rows, and has \(numbers.count)"
                    }
                    matrix = made
                    return nil
                })
        ])
}
