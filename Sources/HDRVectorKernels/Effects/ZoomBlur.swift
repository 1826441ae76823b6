import CSIMD

/// Computes the weighted sum of a row and of rows that are zoomed about a centre.
@inline(never)
func zoomRows(
    _ taps: UnsafePointer<KernelZoomTap>, _ tapCount: Int, _ centre: Float, _ from: KernelLightRows,
    _ to: KernelLightRows, _ scratch: Row, _ stride: Int, _ count: Int
) {
    guard let red = to.red, let green = to.green, let blue = to.blue, let alpha = to.alpha,
        let redFrom = from.red, let greenFrom = from.green, let blueFrom = from.blue, let alphaFrom = from.alpha
    else { return }
    let own = taps.pointee.upper
    let share = cv_splat(taps.pointee.weight)
    eachVector(count) { i in
        cv_store(red + i, share * cv_load(redFrom + (own &+ i)))
        cv_store(green + i, share * cv_load(greenFrom + (own &+ i)))
        cv_store(blue + i, share * cv_load(blueFrom + (own &+ i)))
        cv_store(alpha + i, share * cv_load(alphaFrom + (own &+ i)))
    }
    let (low, high) = (cv_splat(0), cv_splat(Float(count &- 1)))
    let middle = cv_splat(centre)
    var k = 1
    while k < tapCount {
        let tap = taps[k]
        let fraction = cv_splat(tap.fraction)
        mix(redFrom, tap, fraction, scratch, count)
        mix(greenFrom, tap, fraction, scratch + stride, count)
        mix(blueFrom, tap, fraction, scratch + 2 &* stride, count)
        mix(alphaFrom, tap, fraction, scratch + 3 &* stride, count)
        let (scale, weight) = (cv_splat(tap.scale), cv_splat(tap.weight))
        eachVector(count) { i in
            let x = cv_count_from(Float(i))
            let position = cv_limit(cv_fma(x - middle, scale, middle), low, high)
            cv_add_between(scratch, stride, position, weight, red + i, green + i, blue + i, alpha + i)
        }
        k &+= 1
    }
}

/// Interpolates a row between two others.
@inline(__always)
private func mix(_ from: Row, _ tap: KernelZoomTap, _ fraction: V, _ to: Row, _ count: Int) {
    let (upper, lower) = (from + tap.upper, from + tap.lower)
    eachVector(count) { i in
        let a = cv_load(upper + i)
        cv_store(to + i, cv_fma(cv_load(lower + i) - a, fraction, a))
    }
    // The last position lies between the last number and this one, and gives this one the weight 0.
    to[count] = to[count &- 1]
}
