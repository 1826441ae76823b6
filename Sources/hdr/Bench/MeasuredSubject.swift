/// Something that was measured, and the time that a frame of it took, in ns.
struct MeasuredSubject {
    let name: String
    let time: Clock

    /// Rounds that do not count: memory is touched, tables are made and clocks rise in them.
    private static let warmUps = 2

    /// All take turns, a frame each, so that other load on the machine affects all of them equally.
    static func inTurns(
        _ works: [(name: String, work: any FrameWork)], frames: Int
    ) throws(Failure) -> [MeasuredSubject] {
        var times = [[Clock]](repeating: [], count: works.count)
        for round in 0..<(frames + warmUps) {
            for (index, subject) in works.enumerated() {
                let spent = try subject.work.run(frames: 1)
                if round >= warmUps { times[index].append(spent) }
            }
        }
        return zip(works, times).map { subject, times in
            MeasuredSubject(
                name: subject.name,
                time: Clock(wall: times.map(\.wall).median, processor: times.map(\.processor).median))
        }
    }
}
