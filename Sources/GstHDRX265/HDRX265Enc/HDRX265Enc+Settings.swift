import CGStreamer
import CGstHDRX265
import CX265
import HDRMetadata

extension HDRX265Enc {
    /// The values of the properties. Every field holds a value of its property's range.
    struct Settings: Equatable, Sendable {
        /// The bit rate in kbit/s.
        var bitrate = GST_HDR_X265_ENC_DEFAULT_BITRATE
        /// The quantization parameter; -1 for none.
        var qp = GST_HDR_X265_ENC_DEFAULT_QP
        var optionString = ""
        var logLevel = GST_HDR_X265_ENC_DEFAULT_LOG_LEVEL
        var speedPreset = GST_HDR_X265_ENC_DEFAULT_SPEED_PRESET
        var tune = GST_HDR_X265_ENC_DEFAULT_TUNE
        /// The maximum distance of key frames in pictures; 0 for libx265's default.
        var keyIntMax = GST_HDR_X265_ENC_DEFAULT_KEY_INT_MAX
        var pass = GST_HDR_X265_ENC_DEFAULT_PASS
        var multipassCacheFile = GST_HDR_X265_ENC_DEFAULT_MULTIPASS_CACHE_FILE
        var dynamicMetadata = GST_HDR_X265_ENC_DEFAULT_DYNAMIC_METADATA
        /// The text of the property, which is parsed when the encoder starts.
        var ambientViewing: String?
        /// The preferred transfer characteristics as a code point of ITU-T H.273; -1 for none.
        var preferredTransfer = GST_HDR_X265_ENC_DEFAULT_PREFERRED_TRANSFER
        var pictureStatistics = GST_HDR_X265_ENC_DEFAULT_PICTURE_STATISTICS != 0
    }
}

extension HDRX265Enc.Settings {
    mutating func set(_ property: GstHdrX265EncProp, _ value: UnsafePointer<GValue>) {
        func text() -> String? { g_value_get_string(value).map { String(cString: $0) } }
        switch property {
        case GST_HDR_X265_ENC_PROP_BITRATE: bitrate = g_value_get_uint(value)
        case GST_HDR_X265_ENC_PROP_QP: qp = g_value_get_int(value)
        case GST_HDR_X265_ENC_PROP_OPTION_STRING: optionString = text() ?? ""
        case GST_HDR_X265_ENC_PROP_LOG_LEVEL: logLevel = g_value_get_enum(value)
        case GST_HDR_X265_ENC_PROP_SPEED_PRESET: speedPreset = g_value_get_enum(value)
        case GST_HDR_X265_ENC_PROP_TUNE: tune = g_value_get_enum(value)
        case GST_HDR_X265_ENC_PROP_KEY_INT_MAX: keyIntMax = g_value_get_int(value)
        case GST_HDR_X265_ENC_PROP_PASS: pass = g_value_get_uint(value)
        case GST_HDR_X265_ENC_PROP_MULTIPASS_CACHE_FILE:
            multipassCacheFile = text() ?? GST_HDR_X265_ENC_DEFAULT_MULTIPASS_CACHE_FILE
        case GST_HDR_X265_ENC_PROP_DYNAMIC_METADATA:
            dynamicMetadata = GstHdrX265DynamicMetadata(UInt32(bitPattern: g_value_get_enum(value)))
        case GST_HDR_X265_ENC_PROP_AMBIENT_VIEWING: ambientViewing = text()
        case GST_HDR_X265_ENC_PROP_PREFERRED_TRANSFER: preferredTransfer = g_value_get_enum(value)
        case GST_HDR_X265_ENC_PROP_PICTURE_STATISTICS: pictureStatistics = g_value_get_boolean(value) != 0
        default: break
        }
    }

    func get(_ property: GstHdrX265EncProp, _ value: UnsafeMutablePointer<GValue>) {
        switch property {
        case GST_HDR_X265_ENC_PROP_BITRATE: g_value_set_uint(value, bitrate)
        case GST_HDR_X265_ENC_PROP_QP: g_value_set_int(value, qp)
        case GST_HDR_X265_ENC_PROP_OPTION_STRING: g_value_set_string(value, optionString)
        case GST_HDR_X265_ENC_PROP_LOG_LEVEL: g_value_set_enum(value, logLevel)
        case GST_HDR_X265_ENC_PROP_SPEED_PRESET: g_value_set_enum(value, speedPreset)
        case GST_HDR_X265_ENC_PROP_TUNE: g_value_set_enum(value, tune)
        case GST_HDR_X265_ENC_PROP_KEY_INT_MAX: g_value_set_int(value, keyIntMax)
        case GST_HDR_X265_ENC_PROP_PASS: g_value_set_uint(value, pass)
        case GST_HDR_X265_ENC_PROP_MULTIPASS_CACHE_FILE: g_value_set_string(value, multipassCacheFile)
        case GST_HDR_X265_ENC_PROP_DYNAMIC_METADATA:
            g_value_set_enum(value, Int32(bitPattern: dynamicMetadata.rawValue))
        case GST_HDR_X265_ENC_PROP_AMBIENT_VIEWING: g_value_set_string(value, ambientViewing)
        case GST_HDR_X265_ENC_PROP_PREFERRED_TRANSFER: g_value_set_enum(value, preferredTransfer)
        case GST_HDR_X265_ENC_PROP_PICTURE_STATISTICS: g_value_set_boolean(value, pictureStatistics ? 1 : 0)
        default: break
        }
    }

    /// libx265's name of the preset; `nil` for none.
    var presetName: String? { cx265_preset_name(speedPreset).map { String(cString: $0) } }
    var tuneName: String? { cx265_tune_name(tune).map { String(cString: $0) } }

    /// The ambient viewing environment that was set; `nil` for none.
    func parsedAmbientViewing() throws(X265Parameters.Failure) -> AmbientViewing? {
        guard let text = ambientViewing, !text.isEmpty else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let illuminance = UInt32(parts[0]), let x = UInt16(parts[1]), let y = UInt16(parts[2])
        else {
            throw X265Parameters.Failure(
                "ambient-viewing-environment: \(text) is not illuminance:x:y, such as 3140000:15635:16450.")
        }
        let ambient = AmbientViewing(illuminance: illuminance, light: SIMD2(x, y))
        if let defect = ambient.defect {
            throw X265Parameters.Failure("ambient-viewing-environment: \(text): \(defect).")
        }
        return ambient
    }
}
