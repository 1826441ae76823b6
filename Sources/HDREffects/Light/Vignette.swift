import CKernels
import HDRColor
import HDRKernels

/// Light that falls off towards the corners, as the fourth power of a cosine does in a lens.
///
/// With r the distance from the middle of the picture, 1 in its corners, light is divided by
/// (1 + k d)², where d = max(r² - radius², 0) / (1 - radius²) and (1 + k)² is what the corners lose.
package struct Vignette: VideoEffect {
    package static let stopsRange = 0.0...20.0
    package static let radiusRange = 0.0...0.99
    /// The loss of light in the corners, in stops.
    package var stops = 1.0
    /// The radius at which the light begins to fall, relative to the corners' distance.
    package var radius = 0.0

    package init(stops: Double = 1, radius: Double = 0) {
        self.stops = stops
        self.radius = radius
    }

    /// The factor of light at a pixel's centre.
    package func gain(x: Int, y: Int, width: Int, height: Int) -> Double {
        func square(_ place: Int, _ size: Int) -> Double {
            let d = Double(place) - Double(size - 1) / 2
            return d * d
        }
        let corner = square(0, width) + square(0, height)
        let r2 = (square(x, width) + square(y, height)) / max(corner, 0.25)
        let d = max(r2 - radius * radius, 0) / (1 - radius * radius)
        let falloff = 1 + (Double.pow(2, stops / 2) - 1) * d
        return 1 / (falloff * falloff)
    }

    package func planned(for context: EffectContext) -> PlannedEffect {
        stops == 0 ? .matrix(.identity) : .pixels(VignetteEffect(self, context))
    }
}

private final class VignetteEffect: LightEffect, @unchecked Sendable {
    let keepsPixels = false
    let takesPairs = true
    let takesSignalLight = true
    private let kernels: KernelEffects
    /// The square of each column's distance from the middle: of all columns, of even ones and of odd ones.
    private let columns:
        (
            all: UnsafeMutablePointer<Float>, even: UnsafeMutablePointer<Float>,
            odd: UnsafeMutablePointer<Float>
        )
    private let rowMiddle: Double
    private let plan: KernelVignette

    init(_ vignette: Vignette, _ context: EffectContext) {
        kernels = context.instructionSet.kernels.effects
        let columnMiddle = Double(context.width - 1) / 2
        rowMiddle = Double(context.height - 1) / 2
        let corner = max(columnMiddle * columnMiddle + rowMiddle * rowMiddle, 0.25)
        func squares(from first: Int, step: Int) -> UnsafeMutablePointer<Float> {
            // Vector loads reach beyond the last column.
            let count = context.width / step + 64
            let row = UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64).bindMemory(
                to: Float.self, capacity: count)
            for i in 0..<count {
                let d = Double(first + step * i) - columnMiddle
                (row + i).initialize(to: Float(d * d))
            }
            return row
        }
        columns = (squares(from: 0, step: 1), squares(from: 0, step: 2), squares(from: 1, step: 2))
        let start = vignette.radius * vignette.radius
        plan = KernelVignette(
            columns: UnsafePointer(columns.all), row: 0, start: Float(start * corner),
            scale: Float(1 / (corner * (1 - start))), strength: Float(Double.pow(2, vignette.stops / 2) - 1))
    }

    deinit {
        columns.all.deallocate()
        columns.even.deallocate()
        columns.odd.deallocate()
    }

    func apply(to pixels: LightPixels) {
        var own = plan
        let d = Double(pixels.row) - rowMiddle
        own.row = Float(d * d)
        guard let odd = pixels.oddPlace else {
            own.columns = UnsafePointer(columns.all + pixels.column)
            kernels.vignette(&own, pixels.kernelRows, pixels.count)
            return
        }
        own.columns = UnsafePointer(columns.even + pixels.column / 2)
        kernels.vignette(&own, pixels.kernelRows, (pixels.columns + 1) / 2)
        own.columns = UnsafePointer(columns.odd + pixels.column / 2)
        let rows = KernelLightRows(
            red: pixels.red + odd, green: pixels.green + odd, blue: pixels.blue + odd, alpha: nil)
        kernels.vignette(&own, rows, (pixels.columns + 1) / 2)
    }
}
