import HDRColor
import HDREffects

/// Effects that depend on the position of a pixel, and marks.
extension VideoEffects {
    static let vignette = kind(
        "vignette", "GstHdrVignette", Vignette(),
        [
            .double(
                "stops", "Stops", "Loss of light in the corners, in stops", Vignette.stopsRange, unit: "stops",
                \.stops, of: Vignette()),
            .double(
                "radius", "Radius",
                "Where the fall-off begins, as a fraction of the way from the centre (0) to the corners (1)",
                Vignette.radiusRange, \.radius, of: Vignette()),
        ])

    static let highlight = kind(
        "highlight", "GstHdrHighlight", Highlight(),
        [
            .choice(
                "mode", "Mode", "How pixels are marked", typeName: "GstHdrHighlightMode",
                [
                    ("solid", "Pixels above level become color", Highlight.Mode.solid),
                    (
                        "zebra",
                        "Diagonal stripes: rising ones above level, falling ones of color above headroom; a "
                            + "chequered pattern outside gamut", .zebra
                    ),
                ], \.mode, of: Highlight()),
            .double(
                "level", "Level",
                "Light above which pixels are marked, as a multiple of the reference white; a component has to "
                    + "exceed it by more than half a code value of the stream",
                Highlight.levelRange, \.level, of: Highlight()),
            EffectParameter(
                property: EffectProperty(
                    "color", "Color",
                    "Red, green, blue and alpha of marks in linear Display P3, 1.0 being the "
                        + "reference white",
                    .numbers(items: "3 numbers, or 4 of which the last is 1")),
                read: { .numbers([$0.color.x, $0.color.y, $0.color.z, 1]) },
                write: { highlight, value in
                    guard case .numbers(let n) = value else { return nil }
                    guard n.count == 3 || n.count == 4 && n[3] == 1, n.allSatisfy({ $0.isFinite && abs($0) <= 50 })
                    else { return "it is to have red, green and blue from -50 to 50, and perhaps an alpha of 1" }
                    highlight.color = SIMD3(n[0], n[1], n[2])
                    return nil
                }),
            .double(
                "headroom", "Headroom",
                "zebra: headroom of the display that the picture is for, as a multiple of the reference white, above "
                    + "which pixels are marked; 0: none are",
                Highlight.levelRange, \.headroom, of: Highlight()),
            .choice(
                "gamut", "Gamut", "zebra: colours outside this gamut are marked", typeName: "GstHdrHighlightGamut",
                [
                    ("none", "None is marked", Primaries?.none), ("bt709", "BT.709", .bt709),
                    ("display-p3", "Display P3", .displayP3), ("bt2020", "BT.2020", .bt2020),
                ], \.gamut, of: Highlight()),
            EffectParameter(
                property: EffectProperty(
                    "stripe-width", "Stripe width", "zebra: width of the stripes, in pixels",
                    .integer(Highlight.widthRange, default: Highlight().width, unit: "pixels")),
                read: { .integer($0.width) },
                write: { highlight, value in
                    if case .integer(let width) = value { highlight.width = width }
                    return nil
                }),
        ])
}
