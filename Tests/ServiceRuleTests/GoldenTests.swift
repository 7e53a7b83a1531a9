import Foundation
import Testing

@testable import Cabinet

/// The coding of each request and response is kept in a file, so that a change of it is a decision.
///
/// `CABINET_WRITE_GOLDEN=1 make test FILTER=GoldenTests` writes the files again.
@Suite("The coding of requests")
struct GoldenTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    private static func file(_ name: String) -> URL { folder.appending(path: "\(name).json") }

    /// The members of a golden file: the codings of the samples.
    private static func codings(_ request: RequestSamples) throws -> [[UInt8]] {
        let text = try String(contentsOf: file(request.name), encoding: .utf8)
        let members = JSONLayout.members(JSONLayout.compact(text))
        #expect(members.map(\.name) == request.samples.map(\.name))
        return members.map(\.value)
    }

    @Test(
        "Golden files are written on demand",
        .enabled(if: ProcessInfo.processInfo.environment["CABINET_WRITE_GOLDEN"] != nil),
        arguments: RequestSamples.all)
    func writing(_ request: RequestSamples) throws {
        let members = try request.samples.map { "\"\($0.name)\":" + String(decoding: try $0.encode(), as: UTF8.self) }
        let text = JSONLayout.readable(Array("{\(members.joined(separator: ","))}".utf8))
        try text.write(to: Self.file(request.name), atomically: true, encoding: .utf8)
    }

    @Test(
        "is what the golden files have, in both directions",
        .enabled(if: ProcessInfo.processInfo.environment["CABINET_WRITE_GOLDEN"] == nil),
        arguments: RequestSamples.all)
    func golden(_ request: RequestSamples) throws {
        for (sample, coding) in zip(request.samples, try Self.codings(request)) {
            let text = String(decoding: coding, as: UTF8.self)
            #expect(String(decoding: try sample.encode(), as: UTF8.self) == text, "\(request.name), \(sample.name)")
            #expect(
                String(decoding: try sample.recode(coding), as: UTF8.self) == text, "\(request.name), \(sample.name)")
            // A save sends what has changed, so the record that arrives is not the one that was sent.
            if request.name == ModifyRecordsRequest.name && sample.name.hasPrefix("request") { continue }
            if request.localPartCount > 0 && sample.name.hasPrefix("request") { continue }
            #expect(try sample.isEqual(coding), "\(request.name), \(sample.name)")
        }
    }

    @Test("has every part of a request and of a response", arguments: RequestSamples.all.dropFirst())
    func parts(_ request: RequestSamples) throws {
        for sample in request.samples where ["request", "response"].contains(sample.name) {
            let coding = try sample.encode()
            guard coding.first == UInt8(ascii: "{") else { continue }
            let localPartCount = sample.name == "request" ? request.localPartCount : 0
            let names = JSONLayout.members(coding).map(\.name)
            #expect(names.count == sample.partCount - localPartCount, "\(request.name), \(sample.name): \(names)")
        }
    }

    @Test("of an equal value is equal: the order of dictionaries and sets does not matter")
    func order() throws {
        for _ in 0..<20 {
            // Each dictionary has an order of its own, if its capacity differs.
            var request = ModifyRecordsRequest()
            request.entries.reserveCapacity(Int.random(in: 1...1000))
            request.refusals.reserveCapacity(Int.random(in: 1...1000))
            for number in (0..<20).shuffled() {
                request.entries[StorageKey("\(number)")] = "\(number)"
                request.refusals[RecordID(recordName: "\(number)")] = CabinetError(.unknownItem, "")
            }
            let keys = JSONSpans(try ModifyRecordsRequest.coding.encode(request)).spans
            let coding = try ModifyRecordsRequest.coding.encode(request)
            let names = keys.filter { $0.depth == 2 }.compactMap(\.key).map {
                String(decoding: coding[$0], as: UTF8.self)
            }
            #expect(names == names.sorted())
            #expect(names.count == 20)
        }
    }

    @Test("A save sends the changed fields, from which the engine finds what has changed")
    func patches() throws {
        var record = SampleValues.stored
        record["text"] = "Cream"
        record["int"] = nil
        record["denyingReference"] = Reference(recordID: SampleValues.bread, action: .nullify)
        let request = ModifyRecordsRequest(recordsToSave: [record])
        let received = try ModifyRecordsRequest.coding.decode(try ModifyRecordsRequest.coding.encode(request))
        let arrived = try #require(received.recordsToSave.first)
        #expect(arrived.recordID == record.recordID)
        #expect(arrived.recordChangeTag == record.recordChangeTag)
        #expect(Set(arrived.changedKeys()) == ["text", "int", "denyingReference"])
        #expect(arrived.fields.names.names.count == 3)
        #expect(arrived["text"] as? String == "Cream")
        #expect(arrived.parent == record.parent)
        // The old reference, whose action a strict schema keeps.
        #expect(arrived.fetched?.fields["denyingReference"] == .reference(SampleValues.references[3]))
    }
}
