import HDRPipeline

/// An element that a pipeline is built of, and that a launch line can show.
struct LaunchElement {
    let factory: String
    /// The properties in the order in which they are set.
    let properties: [(name: String, value: any Value)]

    init(_ factory: String, _ properties: (name: String, value: any Value)...) {
        (self.factory, self.properties) = (factory, properties)
    }

    /// A capsfilter that passes only one format.
    static func format(_ caps: String) -> LaunchElement { LaunchElement("capsfilter", ("caps", caps)) }

    func make() throws(PipelineError) -> Element {
        let element = try Element(make: factory)
        for (name, value) in properties { try element.set(name, to: value) }
        return element
    }

    /// The element in the syntax of a launch line.
    var text: String {
        if factory == "capsfilter", let caps = properties.first?.value { return "\(caps)" }
        return ([factory] + properties.map { "\($0.name)=\(Self.text($0.value))" }).joined(separator: " ")
    }

    private static func text(_ value: any Value) -> String { quoted("\(value)") }

    /// A value, in quotes where it needs them.
    static func quoted(_ plain: String) -> String {
        let isWord = plain.utf8.allSatisfy { byte in
            byte >= 0x80 || Character(Unicode.Scalar(byte)).isLetter || Character(Unicode.Scalar(byte)).isNumber
                || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ","), UInt8(ascii: "/")].contains(byte)
        }
        return isWord && !plain.isEmpty ? plain : Pipeline.quoted(plain)
    }
}
