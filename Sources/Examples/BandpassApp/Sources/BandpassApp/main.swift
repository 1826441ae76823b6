// A player with a band-pass filter on its sound, whose band can be changed while it plays.
//
//     swift run BandpassApp FILE CENTER CENTS [VIDEO-SINK AUDIO-SINK]
//
// A line "CENTER CENTS" on standard input moves the band: CENTER is its center in Hz, and CENTS its width in cents, of
// which an octave has 1200. At the end the program prints the largest sample of the output.
import Foundation
import HDRPipeline
import HDRTap

/// The sound is resampled to this rate, so that coefficients can be computed outside of the real-time thread.
let rate = 48000

func coefficients(_ words: some Sequence<some StringProtocol>) -> Coefficients? {
    let numbers = words.compactMap { Double($0) }
    guard numbers.count == 2, numbers.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
    return Coefficients(center: numbers[0], cents: numbers[1], rate: Double(rate))
}

func play(_ arguments: [String], _ first: Coefficients) async throws {
    let settings = AudioQueue<Coefficients>(capacity: 64)
    let peak = AudioParameter(0)
    let sound = try Element(
        bin: "audioconvert ! audioresample ! audio/x-raw,format=F32LE,layout=interleaved,rate=\(rate) ! hdrtap name=tap"
    )
    let tap = try AudioTap(BandPass(settings: settings, peak: peak), on: sound.child("tap").pointer)
    _ = settings.enqueue(first)

    let player = try Pipeline("playbin")
    // The flag soft-colorbalance is left out, since that element supports no more than 8 bits.
    try player.root.set("flags", to: "video+audio+soft-volume+deinterlace")
    try player.root.set("uri", to: URL(fileURLWithPath: arguments[0]).absoluteString)
    try player.root.set("audio-filter", to: sound)
    try player.root.set("video-sink", to: Element(bin: arguments.count > 3 ? arguments[3] : "hdrvideosink"))
    try player.root.set("audio-sink", to: Element(bin: arguments.count > 4 ? arguments[4] : "autoaudiosink"))

    let bands = settings.share()
    Thread.detachNewThread {
        while let line = readLine() {
            guard let band = coefficients(line.split(separator: " ")) else {
                print("a line has two numbers: the center in Hz, and the width in cents")
                continue
            }
            _ = bands.enqueue(band)
        }
    }
    try await player.run()
    tap.detach()
    print("peak \(peak.value)")
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard (3...5).contains(arguments.count), let band = coefficients(arguments[1...2]) else {
    print("usage: BandpassApp FILE CENTER CENTS [VIDEO-SINK AUDIO-SINK]")
    exit(2)
}
do {
    try await play(arguments, band)
} catch {
    print("BandpassApp: \(error)")
    exit(1)
}
