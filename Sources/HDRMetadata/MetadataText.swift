// The one way in which metadata are written as text, by GStreamer's caps fields and by settings.

extension MasteringDisplay {
    /// GStreamer's caps field `mastering-display-info`: `Rx:Ry:Gx:Gy:Bx:By:Wx:Wy:max:min`, in steps of 0.00002 and
    /// 0.0001 cd/m².
    package var text: String {
        [red, green, blue, white].map { "\($0.x):\($0.y)" }.joined(separator: ":") + ":\(maximum):\(minimum)"
    }
}

extension ContentLightLevel {
    /// GStreamer's caps field `content-light-level`: `MaxCLL:MaxFALL` in cd/m².
    package var text: String { "\(maximum):\(frameAverage)" }
}

extension AmbientViewing {
    /// The setting `ambient-viewing-environment`: `illuminance:x:y`, in steps of 0.0001 lux and 0.00002.
    package var text: String { "\(illuminance):\(light.x):\(light.y)" }
}
