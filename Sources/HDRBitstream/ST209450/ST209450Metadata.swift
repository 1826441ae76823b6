/// Dynamic metadata of SMPTE ST 2094-50, Application 5: which light is reference white, and how pictures are tone
/// mapped to displays of less or more headroom.
///
/// The standard is a draft. This is its second public committee draft (PCD2) of 23 February 2026, annex C, as the
/// repository SMPTE/st2094-50 has it at commit 0559fe4. Fields have the numbers of the bitstream; headroom is the
/// binary logarithm of a picture's peak over its reference white. Metadata that were read have the same bytes when they
/// are written again.
package struct ST209450Metadata: Equatable, Sendable {
    /// application_version, 0...7; 0 in this draft.
    package var applicationVersion: UInt8 = 0
    /// hdr_reference_white in steps of 0.2 cd/m², 1...50000; `nil` for 203 cd/m².
    package var hdrReferenceWhite: UInt16?
    /// The tone map; `nil` where has_adaptive_tone_map_flag is not set.
    package var adaptiveToneMap: AdaptiveToneMap?
    /// reserved_zero behind the versions, 2 bits, and behind the flags, 6 bits.
    package var reserved = SIMD2<UInt8>()
    /// Padding, and what later versions may add. Parsers ignore it.
    package var trailing: [UInt8] = []

    /// A reference white of 203 cd/m², and no tone map.
    package init() {}

    /// A tone map that the reference white implies, C.3.8, for a headroom of 0...60000 steps of 0.0001.
    package init(baselineHDRHeadroom: UInt16) {
        adaptiveToneMap = AdaptiveToneMap(baselineHDRHeadroom: baselineHDRHeadroom)
    }

    /// The reference white in cd/m²: C.3.3.
    package var referenceWhiteLuminance: Double {
        hdrReferenceWhite.map { Double(min(max($0, 1), 50000)) / 5 } ?? 203
    }

    /// The headrooms of the alternate images in stops; `nil` where there is no tone map, or the reference white implies
    /// them.
    package var alternateHeadrooms: [Double]? {
        guard case .alternateImages(let images)? = adaptiveToneMap?.mapping else { return nil }
        return images.images.map { Double(min($0.hdrHeadroom, 60000)) / 10000 }
    }

    /// The metadata in a few words, such as "reference white 203 cd/m², headroom 2.3 stops, reference white tone map".
    package var summary: String {
        func short(_ value: Double) -> String {
            let rounded = (value * 100).rounded() / 100
            return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
        }
        var parts = ["reference white \(short(referenceWhiteLuminance)) cd/m²"]
        if let map = adaptiveToneMap {
            parts.append("headroom \(short(map.baselineHeadroom)) stops")
            if let headrooms = alternateHeadrooms {
                let list = headrooms.map(short).joined(separator: ", ")
                parts.append(headrooms.isEmpty ? "no alternate image" : "images for headrooms of \(list) stops")
            } else {
                parts.append("reference white tone map")
            }
        } else {
            parts.append("no tone map")
        }
        return parts.joined(separator: ", ")
    }

    /// smpte_st_2094_50_adaptive_tone_map(): C.2.3.
    package struct AdaptiveToneMap: Equatable, Sendable {
        /// baseline_hdr_headroom: of the picture as it is coded, 0...60000 steps of 0.0001.
        package var baselineHDRHeadroom: UInt16
        package var mapping: Mapping = .referenceWhite(reserved: 0)

        package init(baselineHDRHeadroom: UInt16) { self.baselineHDRHeadroom = baselineHDRHeadroom }

        /// The headroom in stops: C.3.4.
        package var baselineHeadroom: Double { Double(min(baselineHDRHeadroom, 60000)) / 10000 }

        /// use_reference_white_tone_mapping_flag decides.
        package enum Mapping: Equatable, Sendable {
            /// The formulas of C.3.8 give the alternate images. reserved_zero has 7 bits.
            case referenceWhite(reserved: UInt8)
            case alternateImages(AlternateImages)
        }
    }

    /// The pictures for other headrooms, which gains on the coded picture make.
    package struct AlternateImages: Equatable, Sendable {
        /// gain_application_space_chromaticities_mode: the primaries that gains are applied in.
        package var chromaticities = Chromaticities.bt2020
        /// At most 4, of rising headrooms.
        package var images: [AlternateImage] = []
        /// has_common_component_mix_params_flag: the mix is coded once, and all images have the first one's.
        package var hasCommonComponentMix = false
        /// has_common_curve_params_flag: the abscissas and the kind of slopes are coded once, and all images have the
        /// first one's.
        package var hasCommonCurve = false
        /// The excess of num_alternate_images over 4, for which nothing is coded: 0...3, and 0 in this draft.
        package var uncoded: UInt8 = 0

        package init() {}
    }

    package enum Chromaticities: Equatable, Sendable {
        case bt709
        case p3D65
        case bt2020
        /// x and y of red, green, blue and white in steps of 0.00002, 0...50000: eight numbers.
        case custom([UInt16])
    }

    package struct AlternateImage: Equatable, Sendable {
        /// alternate_hdr_headrooms: 0...60000 steps of 0.0001.
        package var hdrHeadroom: UInt16
        package var componentMix: ComponentMix
        package var gainCurve: GainCurve

        package init(hdrHeadroom: UInt16, componentMix: ComponentMix, gainCurve: GainCurve) {
            self.hdrHeadroom = hdrHeadroom
            self.componentMix = componentMix
            self.gainCurve = gainCurve
        }
    }

    /// The value with which the gain of a pixel is looked up (C.2.4 and C.3.6). reserved_zero has 6 bits.
    package enum ComponentMix: Equatable, Sendable {
        /// The largest component.
        case maximum(reserved: UInt8)
        /// Each component by itself.
        case component(reserved: UInt8)
        /// Half of the largest component, and a sixth of each.
        case balanced(reserved: UInt8)
        /// Weights of red, green, blue, the largest, the smallest, and each component by itself: six numbers of
        /// 0...50000, which count by their share of the sum. `nil` for 0 without a coded number.
        case custom([UInt16?])
    }

    /// A gain in stops by the mix, which is 1 at reference white: C.2.5 and C.3.7.
    package struct GainCurve: Equatable, Sendable {
        /// The control points, 1...32 in ascending order of x.
        package var controlPoints: [ControlPoint]
        /// gain_curve_use_pchip_slope_flag: slopes follow from the points, C.3.9, and their θ is not coded.
        package var usesPCHIPSlopes: Bool
        /// reserved_zero, 2 bits.
        package var reserved: UInt8 = 0

        package init(controlPoints: [ControlPoint], usesPCHIPSlopes: Bool) {
            self.controlPoints = controlPoints
            self.usesPCHIPSlopes = usesPCHIPSlopes
        }
    }

    package struct ControlPoint: Equatable, Sendable {
        /// Linear light: 0...64000 thousandths of reference white.
        package var x: UInt16
        /// The gain in steps of 0.0001 stops, 0...60000; upwards where the image has more headroom than the coded
        /// picture, otherwise downwards.
        package var y: UInt16
        /// The slope is the tangent of (θ - 18000) · π / 36000; 1...35999. 18000, level, where it is not coded.
        package var theta: UInt16

        package init(x: UInt16, y: UInt16, theta: UInt16 = 18000) {
            self.x = x
            self.y = y
            self.theta = theta
        }
    }
}
