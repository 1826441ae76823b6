/// Content light level: CTA-861.3.
package struct ContentLightLevel: Equatable, Sendable {
    /// MaxCLL: the brightest component of any pixel, in cd/m².
    package var maximum: UInt16
    /// MaxFALL: the brightest frame's average of its pixels' largest components, in cd/m².
    package var frameAverage: UInt16

    package init(maximum: UInt16, frameAverage: UInt16) {
        self.maximum = maximum
        self.frameAverage = frameAverage
    }

    /// Why the values are not credible; `nil` where they are.
    package var defect: String? {
        if maximum == 0 { return "MaxCLL is 0" }
        if maximum > 10000 { return "MaxCLL is over 10000 cd/m2" }
        if frameAverage > maximum { return "MaxFALL is above MaxCLL" }
        return nil
    }

    /// The levels clamped to a peak in cd/m².
    package func limited(to peak: Double) -> ContentLightLevel {
        let limit = UInt16((peak > 0 ? min(peak, 10000) : 0).rounded(.up))
        return ContentLightLevel(maximum: min(maximum, limit), frameAverage: min(frameAverage, limit))
    }
}
