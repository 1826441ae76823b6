import Glibc
import TestSupport

@testable import HDRAudio

/// Planar samples for a test, and blocks of them, which do not keep them alive.
final class Planes {
    let channels: Int
    let frames: Int
    private let memory: UnsafeMutablePointer<UnsafeMutablePointer<Double>>
    /// The block that was given out last.
    private let window: UnsafeMutablePointer<UnsafeMutablePointer<Double>>

    init(_ signals: [[Double]]) {
        channels = signals.count
        frames = signals[0].count
        memory = .allocate(capacity: channels)
        window = .allocate(capacity: channels)
        for (channel, signal) in signals.enumerated() {
            let plane = UnsafeMutablePointer<Double>.allocate(capacity: max(frames, 1))
            plane.initialize(from: signal, count: frames)
            (memory + channel).initialize(to: plane)
            (window + channel).initialize(to: plane)
        }
    }

    deinit {
        for channel in 0..<channels { memory[channel].deallocate() }
        memory.deallocate()
        window.deallocate()
    }

    subscript(channel: Int) -> [Double] { Array(UnsafeBufferPointer(start: memory[channel], count: frames)) }

    /// Valid until the next call.
    func block(from first: Int = 0, count: Int? = nil) -> AudioBlock {
        for channel in 0..<channels { window[channel] = memory[channel] + first }
        return AudioBlock(channels: channels, frames: count ?? frames - first, planes: window)
    }

    /// Calls `body` with blocks of these lengths, again and again up to the end, and with the first frame of each.
    func forEachBlock(_ lengths: [Int], _ body: (AudioBlock, Int) -> Void) {
        var first = 0
        var turn = 0
        while first < frames {
            let count = min(lengths[turn % lengths.count], frames - first)
            body(block(from: first, count: count), first)
            first += count
            turn += 1
        }
    }
}

/// Divisions into calls: all at once, single frames, empty calls, primes.
let divisions: [[Int]] = [[100_000], [1], [0, 1, 2, 3, 5, 7, 11, 13], [64], [997, 0, 1], [1024], [4093]]

/// White noise from -1 to 1, the same in every run.
func noise(_ frames: Int, seed: UInt64 = 1) -> [Double] {
    var random = SeededGenerator(seed: seed)
    return (0..<frames).map { _ in Double(Int64(bitPattern: random.next()) >> 11) * 0x1p-52 }
}

func sine(_ frequency: Double, rate: Double, frames: Int, amplitude: Double = 1, phase: Double = 0) -> [Double] {
    (0..<frames).map { amplitude * sin(2 * Double.pi * frequency * Double($0) / rate + phase) }
}

func impulse(_ frames: Int) -> [Double] { [1] + [Double](repeating: 0, count: frames - 1) }

func decibels(_ value: Double) -> Double { 20 * log10(max(value, 1e-300)) }

/// The discrete-time Fourier transform's magnitude at a frequency.
func magnitude(_ signal: [Double], at frequency: Double, rate: Double) -> Double {
    let step = 2 * Double.pi * frequency / rate
    var real = 0.0
    var imaginary = 0.0
    for (index, value) in signal.enumerated() where value != 0 {
        real += value * cos(step * Double(index))
        imaginary -= value * sin(step * Double(index))
    }
    return (real * real + imaginary * imaginary).squareRoot()
}

/// Fourier transform in place; the length is a power of two.
func transform(_ real: inout [Double], _ imaginary: inout [Double], inverse: Bool = false) {
    let count = real.count
    var j = 0
    for i in 1..<count {
        var bit = count >> 1
        while j & bit != 0 {
            j ^= bit
            bit >>= 1
        }
        j |= bit
        if i < j {
            real.swapAt(i, j)
            imaginary.swapAt(i, j)
        }
    }
    var length = 2
    while length <= count {
        let angle = (inverse ? 2 : -2) * Double.pi / Double(length)
        for k in 0..<(length / 2) {
            let c = cos(angle * Double(k))
            let s = sin(angle * Double(k))
            for start in stride(from: k, to: count, by: length) {
                let other = start + length / 2
                let re = real[other] * c - imaginary[other] * s
                let im = real[other] * s + imaginary[other] * c
                real[other] = real[start] - re
                imaginary[other] = imaginary[start] - im
                real[start] += re
                imaginary[start] += im
            }
        }
        length *= 2
    }
}

/// The largest magnitude of what a signal has above a frequency, with soft ends.
func peakAbove(_ frequency: Double, of signal: [Double], rate: Double) -> Double {
    var size = 1
    while size < signal.count { size *= 2 }
    let fade = signal.count / 10
    var real = [Double](repeating: 0, count: size)
    for index in signal.indices {
        let edge = min(index, signal.count - 1 - index)
        let weight = edge < fade ? 0.5 - 0.5 * cos(Double.pi * Double(edge) / Double(fade)) : 1
        real[index] = signal[index] * weight
    }
    var imaginary = [Double](repeating: 0, count: size)
    transform(&real, &imaginary)
    let lowest = Int(frequency / rate * Double(size))
    for bin in 0..<size where min(bin, size - bin) < lowest {
        real[bin] = 0
        imaginary[bin] = 0
    }
    transform(&real, &imaginary, inverse: true)
    return real.map(abs).max()! / Double(size)
}
