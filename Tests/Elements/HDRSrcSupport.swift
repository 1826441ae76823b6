import Foundation
import PluginSupport
import TestSupport
import Testing

/// The output of `Programs/source.py` for a file that `hdrsrc` plays.
struct SourceReport: Decodable {
    struct Pad: Decodable {
        let first: String?
        let caps: String?
        /// The stream times in ns.
        let times: [UInt64?]
        /// The durations in ns.
        let durations: [UInt64]
        let orientation: String?
        let info: Bool
    }

    struct Info: Decodable {
        let duration: UInt64?
        let timescale: Int
        let transfer, colorimetry, codec, orientation: String?
        let sound, dynamicMetadata: [String]
        let leftOut, undecodable: Int
        let container: String

        enum CodingKeys: String, CodingKey {
            case duration, timescale, transfer, colorimetry, codec, orientation, sound, undecodable, container
            case dynamicMetadata = "dynamic-metadata"
            case leftOut = "left-out"
        }
    }

    struct Failure: Decodable {
        let domain, text, element: String
        let code: Int

        init(from decoder: any Decoder) throws {
            var fields = try decoder.unkeyedContainer()
            domain = try fields.decode(String.self)
            code = try fields.decode(Int.self)
            text = try fields.decode(String.self)
            element = try fields.decode(String.self)
        }
    }

    let pads: [String: Pad]
    let signals: [String]
    let state: String
    let info: Info?
    let duration: Int64?
    let position: Int64?
    let errors: [Failure]
    let warnings: [String]
    let ended: Bool
    /// The state after the stop: whether there is a source-info, and how many elements and pads are left.
    let left: Bool
    let children, padsLeft: Int

    var video: Pad? { pads["video_0"] }

    static func of(_ path: String, _ options: String...) throws -> SourceReport { try of(path, options) }

    static func of(_ path: String, _ options: [String]) throws -> SourceReport {
        let program = Repository.path("Tests/Elements/Programs/source.py")
        let outcome = try GstTool.run(
            "/usr/bin/python3", ["-B", "-W", "ignore", program, path] + options, timeout: 90)
        try #require(outcome.status == 0, "\(outcome)")
        let report = try JSONDecoder().decode(SourceReport.self, from: Data(outcome.output.utf8))
        #expect(!report.left && report.children == 0 && report.padsLeft == 0)
        return report
    }

    /// Expects that the whole file was played.
    func expectWhole(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(ended && errors.isEmpty && warnings.isEmpty, "\(errors) \(warnings)", sourceLocation: sourceLocation)
        #expect(state == "success" && signals.last == "no-more-pads", "\(signals)", sourceLocation: sourceLocation)
        let isKnown = pads.values.allSatisfy { $0.info }
        #expect(isKnown, sourceLocation: sourceLocation)
        for (name, pad) in pads where pad.caps != nil {
            #expect(pad.first == pad.caps, "\(name)", sourceLocation: sourceLocation)
        }
    }

    /// Expects an error of this text, and nothing else.
    func expectError(_ part: String, code: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(errors.count == 1 && !ended, "\(errors) \(warnings)", sourceLocation: sourceLocation)
        #expect(errors.first?.text.contains(part) == true, "\(errors)", sourceLocation: sourceLocation)
        #expect(errors.first?.element.hasPrefix("hdrsrc") == true, "\(errors)", sourceLocation: sourceLocation)
        if let code { #expect(errors.first?.code == code, "\(errors)", sourceLocation: sourceLocation) }
    }
}
