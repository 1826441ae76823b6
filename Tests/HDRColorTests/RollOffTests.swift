import Testing

@testable import HDRColor

struct RollOffTests {
    @Test func whiteAndBelowKeepTheirLevel() {
        for peak in [203.0, 204, 406, 812, 2030, 10000] {
            let curve = RollOff<Double>(white: 203, sourcePeak: 10000, targetPeak: peak)
            for light in [0.0, 0.001, 1, 26, 100, 202.9, 203] { #expect(curve(light) == light) }
        }
    }

    /// The curve has the slope of the identity at white, and is the identity where there is room for everything.
    @Test func beginsSmoothly() {
        let curve = RollOff<Double>(white: 203, sourcePeak: 1000, targetPeak: 406)
        #expect(abs((curve(203.001) - 203) / 0.001 - 1) < 1e-4)
        let identity = RollOff<Double>(white: 203, sourcePeak: 1000, targetPeak: 1000)
        let wide = RollOff<Double>(white: 203, sourcePeak: 1000, targetPeak: 4000)
        for light in [203.0, 300, 500, 999, 1000] {
            #expect(abs(identity(light) - light) < 1e-9 && abs(wide(light) - light) < 1e-9)
        }
    }

    /// For a source's peak of 4 and a room of 1 above white the curve is t (1 + t / 9) / (1 + t).
    @Test func values() {
        let curve = RollOff<Double>(white: 100, sourcePeak: 400, targetPeak: 200)
        #expect(abs(curve(200) - (100 + 100 * (1 + 1.0 / 9) / 2)) < 1e-9)
        #expect(abs(curve(300) - (100 + 100 * 2 * (1 + 2.0 / 9) / 3)) < 1e-9)
        #expect(curve(400) == 200)
    }

    /// A little more headroom changes a little.
    @Test func followsTheHeadroom() {
        for light in [250.0, 500, 999] {
            var last = 203.0
            for step in 0...200 {
                let value = RollOff<Double>(white: 203, sourcePeak: 1000, targetPeak: 203 + 4 * Double(step))(light)
                #expect(value >= last - 1e-9 && value - last <= 4 + 1e-9, "light \(light), step \(step)")
                last = value
            }
        }
    }
}
