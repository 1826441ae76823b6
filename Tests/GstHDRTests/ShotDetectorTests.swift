import HDRColor
import TestSupport
import Testing

@testable import GstHDR

/// The beginnings of shots in pictures whose light is measured.
@Suite struct ShotDetectorTests {
    /// All pixels of one light.
    private static func light(_ signal: Double) -> SceneSample {
        var statistics = LightStatistics()
        statistics.histogram[Int(signal * Double(LightStatistics.bins))] = 1000
        statistics.pixels = 1000
        statistics.maximum = PQ.eotf(signal)
        statistics.average = statistics.maximum
        return SceneSample(statistics)
    }

    /// The picture of one of several shots, brighter by `gain`.
    private static func structure(_ shot: UInt64, gain: Float = 1) -> PictureStructure? {
        var random = SeededGenerator(seed: shot)
        return PictureStructure(values: (0..<144).map { _ in Float.random(in: 0...0.5, using: &random) * gain })
    }

    private static func begins(
        _ count: Int, _ picture: (Int) -> (light: Double, structure: PictureStructure?), joints: Set<Int> = []
    ) -> [Int] {
        var detector = ShotDetector()
        return (0..<count).filter { index in
            let (signal, structure) = picture(index)
            return detector.begins(light(signal), structure, isJoint: joints.contains(index))
        }
    }

    /// A cut between pictures of the same light is seen in what they show.
    @Test func cutsOfEqualBrightness() {
        #expect(Self.begins(30) { (0.4, Self.structure($0 < 15 ? 1 : 2)) } == [0, 15])
        #expect(Self.begins(30) { (0.4, Self.structure(1, gain: $0 < 15 ? 1 : 1.1)) } == [0])
    }

    @Test func fadesAreNoCuts() {
        func fade(_ share: Double) -> (Double, PictureStructure?) {
            (PQ.inverseEOTF(100 * share * share), Self.structure(1, gain: Float(share)))
        }
        #expect(Self.begins(45) { fade(Double($0) / 44) }.count <= 2, "black, and the first picture that is not")
        #expect(Self.begins(45) { fade(1 - Double($0) / 44) } == [0])
    }

    /// Pictures that have nothing in common with those before do not begin shots one after another.
    @Test func noiseIsOneShot() {
        #expect(Self.begins(30) { (0.4, Self.structure(UInt64($0) + 1)) } == [0])
    }

    @Test func cutsInARow() {
        let shots: [(Double, UInt64)] = [(0.3, 1), (0.3, 1), (0.5, 2), (0.3, 3), (0.6, 4), (0.6, 4)]
        #expect(Self.begins(6) { (shots[$0].0, Self.structure(shots[$0].1)) } == [0, 2, 3, 4])
    }

    /// Where another source begins, a shot does, however alike they are.
    @Test func jointsBeginShots() {
        #expect(Self.begins(12, { _ in (0.4, Self.structure(1)) }, joints: [0, 4]) == [0, 4])
    }

    /// A picture of one colour between two shots, or in one, is a shot of its own.
    @Test(arguments: [0.02, 0.9], [1, 2, 3]) func aFlatPictureBetween(signal: Double, length: Int) {
        for after in [1, 2] as [UInt64] {
            let begins = Self.begins(40) { index in
                index < 15
                    ? (0.4, Self.structure(1))
                    : index < 15 + length ? (signal, nil) : (after == 1 ? 0.4 : 0.5, Self.structure(after))
            }
            #expect(begins == [0, 15, 15 + length])
        }
    }

    /// In flat pictures only the light counts.
    @Test func flatPictures() {
        #expect(PictureStructure(values: Array(repeating: 0.5, count: 144)) == nil)
        #expect(PictureStructure(values: []) == nil)
        #expect(Self.begins(40) { ($0 < 20 ? 0.3 : 0.7, nil) } == [0, 20])
    }
}
