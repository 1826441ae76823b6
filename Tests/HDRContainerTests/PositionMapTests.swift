import Testing

@testable import HDRContainer

@Suite struct PositionMapTests {
    @Test func growthAddsUp() {
        var map = PositionMap()
        #expect(map.isIdentity && map(7) == 7)
        map.insert(0, at: 3)
        #expect(map.isIdentity)
        map.insert(10, at: 100)
        map.insert(-4, at: 50)
        map.insert(1, at: 200)
        #expect([49, 50, 99, 100, 199, 200].map { map($0) } == [49, 46, 95, 106, 205, 207])
        #expect(map.nextChange(after: 0) == 50)
        #expect(map.nextChange(after: 50) == 100)
        #expect(map.nextChange(after: 200) == nil)
    }

    @Test func invalidPositions() {
        var map = PositionMap()
        map.insert(10, at: 0)
        #expect(map(.max) == nil)
        #expect(map(.max - 10) == .max)
        var less = PositionMap()
        less.insert(-10, at: 0)
        #expect(less(9) == nil)
        #expect(less(10) == 0)
    }
}
