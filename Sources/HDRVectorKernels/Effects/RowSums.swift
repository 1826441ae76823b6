import CSIMD

/// Computes the weighted sum of rows, which is how blurs are filtered: vertically over rows of a picture, and
/// horizontally over one row taken from different places on.
@inline(never)
func sumRows(
    _ rows: UnsafePointer<UnsafePointer<Float>>, _ weights: UnsafePointer<Float>, _ terms: Int, _ to: Row, _ count: Int
) {
    var i = 0
    // Eight sums at a time, so that each waits for its own multiplications only.
    let block = 8 &* lanes
    while i &+ block <= count {
        var (s0, s1, s2, s3) = (cv_splat(0), cv_splat(0), cv_splat(0), cv_splat(0))
        var (s4, s5, s6, s7) = (cv_splat(0), cv_splat(0), cv_splat(0), cv_splat(0))
        var k = 0
        while k < terms {
            let row = rows[k] + i
            let weight = cv_splat(weights[k])
            s0 = cv_fma(cv_load(row), weight, s0)
            s1 = cv_fma(cv_load(row + lanes), weight, s1)
            s2 = cv_fma(cv_load(row + 2 &* lanes), weight, s2)
            s3 = cv_fma(cv_load(row + 3 &* lanes), weight, s3)
            s4 = cv_fma(cv_load(row + 4 &* lanes), weight, s4)
            s5 = cv_fma(cv_load(row + 5 &* lanes), weight, s5)
            s6 = cv_fma(cv_load(row + 6 &* lanes), weight, s6)
            s7 = cv_fma(cv_load(row + 7 &* lanes), weight, s7)
            k &+= 1
        }
        cv_store(to + i, s0)
        cv_store(to + (i &+ lanes), s1)
        cv_store(to + (i &+ 2 &* lanes), s2)
        cv_store(to + (i &+ 3 &* lanes), s3)
        cv_store(to + (i &+ 4 &* lanes), s4)
        cv_store(to + (i &+ 5 &* lanes), s5)
        cv_store(to + (i &+ 6 &* lanes), s6)
        cv_store(to + (i &+ 7 &* lanes), s7)
        i &+= block
    }
    while i < count {
        var sum = cv_splat(0)
        var k = 0
        while k < terms {
            sum = cv_fma(cv_load(rows[k] + i), cv_splat(weights[k]), sum)
            k &+= 1
        }
        cv_store(to + i, sum)
        i &+= lanes
    }
}

/// Computes `count` weighted sums of `taps` consecutive pixels each, which is how pictures are scaled horizontally.
@inline(never)
func filterPixels(
    _ from: UnsafePointer<Float>, _ first: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int,
    _ to: UnsafeMutablePointer<Float>, _ count: Int
) {
    let pixels = lanes / 4
    var (weight, i) = (weights, 0)
    while i < count {
        let start = from + 4 &* Int(first[i])
        var sum = cv_load(start) * cv_spread(weight)
        var tap = pixels
        while tap < taps {
            sum = cv_fma(cv_load(start + 4 &* tap), cv_spread(weight + tap), sum)
            tap &+= pixels
        }
        cv_store_pixel_sum(to + 4 &* i, sum)
        weight += taps
        i &+= 1
    }
}

/// Copies every `step`-th number of a row into a row of its own.
@inline(never)
func splitRow(_ from: UnsafePointer<Float>, _ step: Int, _ to: Row, _ stride: Int, _ count: Int) {
    var phase = 0
    while phase < step {
        let (source, target) = (from + phase, to + phase &* stride)
        var j = 0
        while j < count {
            cv_move_number(target + j, source + j &* step)
            j &+= 1
        }
        phase &+= 1
    }
}

/// Copies a row to every `step`-th place of another one.
@inline(never)
func joinRow(_ from: UnsafePointer<Float>, _ to: Row, _ step: Int, _ count: Int) {
    var j = 0
    while j < count {
        cv_move_number(to + j &* step, from + j)
        j &+= 1
    }
}
