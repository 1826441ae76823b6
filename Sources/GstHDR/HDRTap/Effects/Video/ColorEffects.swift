import HDRColor
import HDREffects

/// Effects that change colour.
extension VideoEffects {
    static let exposure = kind(
        "exposure", "GstHdrExposure", Exposure(),
        [
            .double(
                "stops", "Stops", "How many times light is doubled", Exposure.stopsRange, unit: "stops", \.stops,
                of: Exposure())
        ])

    static let whiteBalance = kind(
        "white-balance", "GstHdrWhiteBalance", WhiteBalance(),
        [
            .double(
                "temperature", "Temperature",
                "Correlated colour temperature of the light that the scene had, in kelvin: more makes the picture "
                    + "warmer, and 6504 changes nothing",
                WhiteBalance.temperatureRange, unit: "K", \.temperature, of: WhiteBalance()),
            .double(
                "tint", "Tint",
                "How green that light was, in 1/3000 of CIE 1960 uv across the line of daylight: more makes the "
                    + "picture more magenta", WhiteBalance.tintRange, \.tint, of: WhiteBalance()),
        ])

    static let saturation = kind(
        "saturation", "GstHdrSaturation", Saturation(),
        [
            .double(
                "saturation", "Saturation",
                "How far colours are from the grey of their luminance: 0 for greys, 1 for no change",
                Saturation.range, \.saturation, of: Saturation())
        ])

    static let sepia = kind(
        "sepia", "GstHdrSepia", Sepia(),
        [
            .double(
                "intensity", "Intensity", "0 for no change, 1 for the tone alone", Sepia.intensityRange, \.intensity,
                of: Sepia()),
            .choice(
                "mode", "Mode", "What the tone keeps of the picture", typeName: "GstHdrSepiaMode",
                [
                    ("luminance", "Luminance is kept", Sepia.Form.luminance),
                    ("classic", "The matrix in common use, which makes white brighter", .classic),
                ], \.form, of: Sepia()),
        ])

    static let invert = kind(
        "invert", "GstHdrInvert", Invert(),
        [
            .double(
                "headroom", "Headroom",
                "The light that black becomes, as a multiple of the reference white; 0: the stream's own",
                Invert.headroomRange, \.headroom, of: Invert())
        ])

    static let colorMatrix = kind(
        "color-matrix", "GstHdrColorMatrix", ColorMatrix(.identity),
        [
            EffectParameter(
                property: EffectProperty(
                    "matrix", "Matrix",
                    "Numbers by rows, of which red, green and blue are made: 9, or 12 with what is added at the end of "
                        + "each row",
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
