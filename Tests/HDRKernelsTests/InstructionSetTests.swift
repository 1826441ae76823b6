import Testing

@testable import HDRKernels

@Suite struct InstructionSetTests {
    @Test func namesAreKnownInAnyCase() {
        for set in InstructionSet.allCases {
            for name in set.names {
                #expect(InstructionSet(name: name) == set)
                #expect(InstructionSet(name: name.uppercased()) == set)
            }
        }
        for name in ["", "v2", "v5", "bogus", " v3", "avx"] { #expect(InstructionSet(name: name) == nil, "\(name)") }
    }

    @Test func noTwoHaveAName() {
        let names = InstructionSet.allCases.flatMap(\.names)
        #expect(Set(names).count == names.count)
    }

    @Test func theBestIsTheLastOfThoseSupported() {
        #expect(InstructionSet.supported.first == .baseline)
        #expect(InstructionSet.supported == InstructionSet.supported.sorted())
        #expect(InstructionSet.best == InstructionSet.supported.last)
    }
}
