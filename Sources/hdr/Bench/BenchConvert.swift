import Glibc
import HDRKernels

/// `hdr bench convert`: starts processes that measure, and shows what they found.
struct BenchConvert {
    let options: ConvertOptions

    func run() throws {
        if options.wantsList {
            list()
            return
        }
        try requireElement("hdrconvert")
        if options.isChild {
            try measureHere()
            return
        }
        var rows: [ConvertRow] = []
        for start in 1...options.starts {
            // Instruction sets take turns too.
            for (index, set) in options.sets.enumerated() {
                let turn = (start - 1) * options.sets.count + index
                add(try measure(turn, set), of: set, to: &rows)
            }
        }
        Progress.clear()
        // All instruction sets of a conversion, and below them what they are compared with.
        let sorted = options.conversions.flatMap { conversion in
            ["hdrconvert", "videoconvert", "memcpy"].flatMap { element in
                rows.filter { $0.subject.conversion == conversion.name && $0.subject.element == element }
            }
        }
        show(sorted)
    }

    private func list() {
        if options.wantsJSON {
            Output.write(JSON.array(of: Conversion.all.map { $0.json.line }))
            return
        }
        var table = Table(["", "conversion", "from", "to", "tone curves"], leftColumns: 5)
        for conversion in Conversion.all {
            table.add([
                conversion.isDefault ? "*" : "", conversion.name, conversion.sourceName, conversion.target.name,
                conversion.tones?.joined(separator: ", ") ?? "-",
            ])
        }
        let sets = InstructionSet.supported.map { $0.names[0] }.joined(separator: ", ")
        Output.write(
            """
            \(table.text)
            * measured where none is named; the curves are those that are measured where --tone names none.
            This machine runs \(sets).

            """)
    }

    private func measureHere() throws(Failure) {
        let bench = ConvertBench(options: options)
        for conversion in options.conversions {
            do {
                for measurement in try bench.measure(conversion) { ChildMeasurement.report(measurement.fields) }
            } catch {
                throw Failure("\(conversion.name): \(error)")
            }
        }
    }

    /// - Parameter turn: the number of processes that have measured before.
    private func measure(_ turn: Int, _ set: InstructionSet) throws -> [ConvertBench.Measurement] {
        let name = set.names[0]
        setenv("GST_HDR_CPU", name, 1)
        func show(_ count: Int) {
            let conversions = options.conversions.map(\.name)
            guard count < conversions.count else { return }
            let start = turn / options.sets.count + 1
            Progress.show(
                "hdr bench: start \(start) of \(options.starts), \(name), \(conversions[count])",
                done: turn * conversions.count + count, of: options.starts * options.sets.count * conversions.count)
        }
        show(0)
        var measurements: [ConvertBench.Measurement] = []
        try ChildMeasurement.run(options.childArguments) { fields in
            guard let measurement = ConvertBench.Measurement(fields: fields) else { return }
            measurements.append(measurement)
            // The last subject of a conversion.
            if measurement.subject.element == "memcpy" { show(Set(measurements.map(\.subject.conversion)).count) }
        }
        guard Set(measurements.map(\.subject.conversion)).count == options.conversions.count else {
            throw Failure("a measuring process did not measure everything")
        }
        return measurements
    }

    /// Adds what one process measured. Only `hdrconvert` depends on the instruction set; the others have a row for all.
    private func add(_ measurements: [ConvertBench.Measurement], of set: InstructionSet, to rows: inout [ConvertRow]) {
        for measurement in measurements {
            let subject = measurement.subject
            let name = subject.element == "hdrconvert" ? set.names[0] : nil
            let peer = measurements.first {
                $0.subject.element == "videoconvert" && $0.subject.conversion == subject.conversion
                    && $0.subject.threads == subject.threads
            }
            let ratio = peer.map { $0.time / measurement.time }
            let index =
                rows.firstIndex { $0.subject == subject && $0.set == name }
                ?? {
                    rows.append(ConvertRow(subject: subject, set: name, bytes: measurement.bytes))
                    return rows.count - 1
                }()
            rows[index].times.append(measurement.time)
            if let ratio { rows[index].ratios.append(ratio) }
        }
    }

    private func show(_ rows: [ConvertRow]) {
        if options.wantsJSON {
            Output.write(JSON.array(of: rows.map { $0.json(options).line }))
            return
        }
        var table = Table(ConvertRow.titles, leftColumns: 5)
        for row in rows { table.add(row.cells(options)) }
        let size = "\(options.width)x\(options.height)"
        let what = "\(size), content \(options.content)\(options.variation.name), median of \(options.starts) starts"
        Output.write("\(what)\n\n\(table.text)")
    }
}
