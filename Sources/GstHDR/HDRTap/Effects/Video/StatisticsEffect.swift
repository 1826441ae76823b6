import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRConcurrency
import HDREffects
import Synchronization

/// The effect `statistics`: measures the light of frames without changing them.
final class StatisticsEffect: EffectObject, VideoEffectBehavior, @unchecked Sendable {
    static let kind = EffectKind(
        name: "statistics", media: .video, typeName: "GstHdrStatistics",
        properties: [
            EffectProperty(
                "percentiles", "Percentiles",
                "Percentages of the pixels; each message tells the light that so many of them do not exceed",
                .numbers(items: "up to 16 numbers from 0 to 100")),
            EffectProperty(
                "histogram", "Histogram", "Whether messages have the histogram, of 1024 bins", .bool(default: true)),
        ], message: "statistics", make: { StatisticsEffect($0) })

    private struct Values {
        var percentiles = [50.0, 90, 99, 99.9, 99.99]
        var hasHistogram = true
    }
    private let values = Locked(Values())

    let version = 0
    var defect: String? { nil }
    func planned(for context: EffectContext) -> PlannedEffect? { nil }

    func set(_ property: String, _ value: UnsafePointer<GValue>) {
        guard property == "percentiles" else {
            values.withLock { $0.hasHistogram = g_value_get_boolean(value) != 0 }
            return
        }
        let numbers = ValueArray.numbers(value)
        guard numbers.count <= 16, numbers.allSatisfy({ $0 >= 0 && $0 <= 100 }) else {
            complain(
                "The property percentiles of the effect statistics cannot be used: it is to have up to 16 numbers from "
                    + "0 to 100")
            return
        }
        values.withLock { $0.percentiles = numbers }
    }

    func get(_ property: String, _ value: UnsafeMutablePointer<GValue>) {
        let values = values.current
        guard property == "percentiles" else {
            g_value_set_boolean(value, values.hasHistogram ? 1 : 0)
            return
        }
        for number in values.percentiles {
            var item = GValue()
            g_value_init(&item, GTypes.double)
            g_value_set_double(&item, number)
            gst_value_array_append_and_take_value(value, &item)
        }
    }

    /// Posts the measurements of a frame. Light is in cd/m².
    func post(_ light: LightStatistics, _ times: FrameTimes) {
        let values = values.current
        let found = values.percentiles.map { PQ.eotf(light.centredPercentile($0 / 100)) }
        var fields: [(String, Structure.Value)] = [
            ("timestamp", .uint64(times.pts ?? UInt64.max)), ("stream-time", .uint64(times.streamTime ?? UInt64.max)),
            ("running-time", .uint64(times.runningTime ?? UInt64.max)),
            ("duration", .uint64(times.duration ?? UInt64.max)), ("maximum", .double(light.maximum)),
            ("average", .double(light.average)), ("percentiles", .doubles(values.percentiles)),
            ("percentile-light", .doubles(found)), ("pixels", .uint64(UInt64(light.pixels))),
            ("outside-bt709", .uint64(UInt64(light.outsideGamut))),
            ("outside-display-p3", .uint64(UInt64(light.outsideWiderGamut))),
        ]
        fields.append(("effect", .string(childName)))
        if values.hasHistogram { fields.append(("histogram", .counts(light.histogram))) }
        post(Structure.make("statistics", fields))
    }
}
