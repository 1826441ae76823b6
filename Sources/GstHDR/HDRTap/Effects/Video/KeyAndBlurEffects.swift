import HDRColor
import HDREffects

/// Effects that process whole pictures, and the chroma key.
extension VideoEffects {
    static let gaussianBlur = kind(
        "gaussian-blur", "GstHdrGaussianBlur", GaussianBlur(),
        [
            .double(
                "sigma", "Sigma", "Standard deviation of the blur, in pixels", GaussianBlur.sigmas, unit: "pixels",
                \.sigma, of: GaussianBlur())
        ])

    static let zoomBlur = kind(
        "zoom-blur", "GstHdrZoomBlur", ZoomBlur(),
        [
            .double(
                "amount", "Amount", "Length of the blur, as a fraction of the way from each pixel to the centre",
                ZoomBlur.amounts, \.amount, of: ZoomBlur()),
            .double(
                "center-x", "Centre x", "Centre of the blur, as a fraction of the picture's width from the left",
                0...1, \.centre.x, of: ZoomBlur()),
            .double(
                "center-y", "Centre y", "Centre of the blur, as a fraction of the picture's height from the top",
                0...1, \.centre.y, of: ZoomBlur()),
        ])

    static let chromaKey = kind(
        "chroma-key", "GstHdrChromaKey", ChromaKey(),
        [
            EffectParameter(
                property: EffectProperty(
                    "color", "Color",
                    "Red, green and blue of the screen (the backdrop to key out), in linear light of color-space; "
                        + "only their ratios count",
                    .numbers(items: "3 numbers of 0 or more")),
                read: { .numbers([$0.color.x, $0.color.y, $0.color.z]) },
                write: { key, value in
                    guard case .numbers(let n) = value else { return nil }
                    guard n.count == 3, n.allSatisfy({ $0 >= 0 && $0 <= 1e6 }), n.contains(where: { $0 > 0 }) else {
                        return "it is to have red, green and blue of 0 or more, and not black"
                    }
                    key.color = SIMD3(n[0], n[1], n[2])
                    return nil
                }),
            .double(
                "tolerance", "Tolerance",
                "How far chroma may fall below the screen's while alpha is still 0, as a fraction of the screen's "
                    + "chroma",
                0...0.5, \.tolerance, of: ChromaKey()),
            .double(
                "softness", "Softness",
                "How much further chroma has to fall until alpha is 1, as a fraction of the screen's chroma",
                0.01...1, \.softness, of: ChromaKey()),
            .double(
                "hue-tolerance", "Hue tolerance",
                "Angle from the screen's hue, in degrees, within which hues count as the screen",
                1...80, unit: "degrees", \.hueTolerance, of: ChromaKey()),
            .double(
                "hue-softness", "Hue softness",
                "Angle beyond hue-tolerance, in degrees, over which hues cease to count as the screen",
                1...60, unit: "degrees", \.hueSoftness, of: ChromaKey()),
            .double(
                "despill", "Despill", "How much of the screen's light on the foreground is removed; 0: none, 1: all",
                0...1, \.despill, of: ChromaKey()),
            .double(
                "shadow", "Shadow",
                "Light below which alpha rises, because chroma is mostly noise there; 1.0 is the reference white",
                0...1, \.shadow, of: ChromaKey()),
            .double(
                "screen-level", "Screen level",
                "Largest component of the screen where it is best lit, 1.0 being the reference white, for correct "
                    + "edges of brighter foregrounds; 0: not known", 0...50, \.knownLevel, of: ChromaKey()),
        ], addsAlpha: true)

    static let lut = kind(
        "lut", "GstHdrLut", LocatedLookUp(),
        [
            EffectParameter(
                property: EffectProperty(
                    "location", "Location", "A .cube file with a 1D table, a 3D table, or both", .text(default: "")),
                read: { .text($0.location) },
                write: { parameters, value in
                    guard case .text(let location) = value else { return nil }
                    return parameters.load(location)
                }),
            .choice(
                "shaper", "Shaper", "What the numbers of the table represent", typeName: "GstHdrLutShaper",
                [
                    ("pq", "SMPTE ST 2084 (PQ) signals, for tables that grade PQ", LookUp.Shaper.pq),
                    ("log", "Logarithm of linear light, from log-lowest to log-highest", .log),
                    ("none", "Linear light, 1.0 being the reference white", .none),
                ], \.lookUp.shaper, of: LocatedLookUp()),
            .double(
                "log-lowest", "Lowest of log",
                "Lower end of the logarithmic range, in stops relative to the reference white",
                LUTShaper.lowestStops, unit: "stops", \.lookUp.lowest, of: LocatedLookUp()),
            .double(
                "log-highest", "Highest of log",
                "Upper end of the logarithmic range, in stops relative to the reference white",
                LUTShaper.highestStops, unit: "stops", \.lookUp.highest, of: LocatedLookUp()),
        ], missing: { $0.lookUp.lut == nil ? "a table: set its property location to a .cube file" : nil })
}

extension ChromaKey {
    /// The level; 0 where it is not known.
    fileprivate var knownLevel: Double {
        get { level.isFinite ? level : 0 }
        set { level = newValue > 0 ? newValue : .infinity }
    }
}
