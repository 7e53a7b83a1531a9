import CabinetTesting
import Foundation
import Testing

@testable import Cabinet

/// Hostile texts give a value or an error, and never more of either than the text is long.
///
/// Time and memory are bounded by counts. A text is read once, into at most one token for each of its bytes. A container within
/// 64 others ends the reading. The coding of what was read is at most four times as long as the text.
@Suite("Hostile input")
struct HostileInputTests {
    private static let mutationsOfAKind = 12
    private static let texts = RequestSamples.all.flatMap { request in
        request.samples.compactMap { try? $0.encode() }
    }

    /// Calls a closure with hostile texts of each sample, the same in every run.
    private static func forEachMutation(
        of request: RequestSamples, ofAKind count: Int = mutationsOfAKind,
        _ body: (ServiceSample, JSONMutator.Kind, [UInt8]) async throws -> Void
    ) async throws {
        for (number, sample) in request.samples.enumerated() {
            let coding = try sample.encode()
            var mutator = JSONMutator(
                texts: texts, seed: UInt64(request.name.utf8.reduce(number) { $0 * 31 % 9973 + Int($1) }))
            for kind in JSONMutator.Kind.allCases {
                for _ in 0..<count { try await body(sample, kind, mutator.mutated(coding, kind)) }
            }
        }
    }

    @Test("gives a value that is coded stably, or an error", arguments: RequestSamples.all)
    func decoding(_ request: RequestSamples) async throws {
        var counts = (values: 0, errors: 0)
        try await Self.forEachMutation(of: request) { sample, kind, json in
            let name = "\(request.name), \(sample.name), \(kind): \(String(decoding: json.prefix(2000), as: UTF8.self))"
            do {
                let coding = try sample.recode(json)
                #expect(coding.count <= 4 * json.count + 64, "\(name)")
                let again = try sample.recode(coding)
                if again != coding {
                    Issue.record(
                        "\(name): \(String(decoding: coding, as: UTF8.self)) becomes \(String(decoding: again, as: UTF8.self))"
                    )
                }
                counts.values += 1
            } catch let error as CabinetError {
                #expect([.invalidArguments, .limitExceeded].contains(error.code), "\(name): \(error)")
                #expect(error.message.utf8.count <= 4 * json.count + 1_000, "\(name)")
                counts.errors += 1
            } catch {
                Issue.record(error, "\(name)")
            }
        }
        #expect(counts.errors > counts.values / 10)
        #expect(counts.values > 0)
    }

    @Test("that is a request is answered, or refused with an error", arguments: RequestSamples.all)
    func answering(_ request: RequestSamples) async throws {
        let service = try await Self.service()
        let callers = [
            Caller(account: Account(userRecordName: "_ann"), deviceID: "phone"),
            Caller(account: Account(userRecordName: "_other"), deviceID: "phone"), Caller(account: nil, deviceID: "tv"),
        ]
        var number = 0
        try await Self.forEachMutation(of: request, ofAKind: 4) { sample, kind, json in
            guard let answer = sample.answer, (try? sample.recode(json)) != nil else { return }
            number += 1
            do {
                _ = try await answer(json, service, callers[number % 3])
            } catch let error as CabinetError {
                #expect(error.code != .internalError, "\(kind): \(error) \(String(decoding: json, as: UTF8.self))")
            } catch {
                Issue.record(error, "\(request.name), \(kind): \(String(decoding: json, as: UTF8.self))")
            }
        }
        await service.close()
    }

    /// A service whose databases have records, zones and a subscription.
    private static func service() async throws -> LocalDatabaseService {
        let service = try LocalDatabaseService(backend: MemoryBackend())
        let container = try Container(
            identifier: "com.example.hostile", service: service, account: Account(userRecordName: "_ann"),
            deviceID: "phone")
        for scope in [DatabaseScope.public, .private] {
            let database = container.database(with: scope)
            var record = Record(recordType: "Items", recordID: SampleValues.milk)
            record["name"] = "Milk"
            record["number"] = 1
            try await database.save(record)
        }
        try await container.privateDatabase.save(RecordZone(zoneID: SampleValues.zone))
        return service
    }

    @Test(
        "that is deeper than 64 containers is refused at the 65th",
        arguments: ["[", #"{"a":"#, #"{"a":[{"b":"#], [65, 100_000])
    func depth(_ open: String, _ depth: Int) throws {
        let json = Array(String(repeating: open, count: depth).utf8)
        let error = try #require(throws: CabinetError.self) { try FetchRecordsRequest.coding.decode(json) }
        #expect(error.code == .invalidArguments)
        #expect(error.message.contains("more than 64 containers"))
        let position = try #require(error.message.firstMatch(of: #/at byte (\d+)/#).flatMap { Int($0.1) })
        #expect(position <= 64 * open.utf8.count)
    }

    @Test("that is 64 containers deep is read, also as errors within each other")
    func nesting() throws {
        let open = String(repeating: #"{"code":1,"message":"","cause":"#, count: 63)
        let json = open + #"{"code":2,"message":""}"# + String(repeating: "}", count: 63)
        let error = try CabinetError.coding.decode(Array(json.utf8))
        #expect(try CabinetError.coding.encode(error) == Array(json.utf8))
        let deeper = #"{"code":1,"message":"","cause":"# + json + "}"
        #expect(throws: CabinetError.self) { try CabinetError.coding.decode(Array(deeper.utf8)) }
    }

    @Test(
        "has at most one token for each byte",
        arguments: ["[1,1,1]", #"{"a":"","b":{}}"#, "[[],[],[]]", #"["\u0041\n"]"#, "0"])
    func tokens(_ text: String) throws {
        // The last token is the end of the text.
        #expect(try JSONTokens(Array(text.utf8)).tokens.count <= text.utf8.count + 1)
    }

    @Test(
        "that has an unknown number or word, or a part of another kind, is refused",
        arguments: [
            ("fetchRecords", "request", #""scope":1"#, #""scope":4"#),
            ("fetchRecords", "response", #""action":3"#, #""action":4"#),
            ("modifyRecords", "request", #""savePolicy":1"#, #""savePolicy":-1"#),
            ("aggregate", "request", #""average""#, #""median""#),
            ("fetchSchema", "response", #""deleteRule":3"#, #""deleteRule":9"#),
            ("fetchSchema", "response", #""READ""#, #""ALL""#),
            ("fetchSchema", "response", #""LIST<ASSET>""#, #""LIST<ASSETS>""#),
            ("fetchDatabaseChanges", "response", #""reason":2"#, #""reason":7"#),
            ("fetchNotifications", "response", #""reason":2"#, #""reason":0"#),
            ("fetchNotifications", "response", #""left""#, #""right""#),
            ("fetchSubscriptions", "response", #""kind":1"#, #""kind":8"#),
            // Parts of another kind.
            ("queryRecords", "request", #""origin":"#, #""options":1,"origin":"#),
            ("modifySubscriptions", "request", #""id":"e","#, #""id":"e","options":2,"#),
            ("modifySubscriptions", "request", #""id":"e","#, #""id":"e","zone":"Shops","#),
            ("modifySubscriptions", "request", #""id":"d","#, #""id":"d","desiredKeys":["a"],"#),
            ("fetchNotifications", "response", #""transition":"stayed""#, #""transition":"stayed","zone":"Shops""#),
        ])
    func words(_ request: String, _ name: String, _ known: String, _ unknown: String) throws {
        let samples = try #require(RequestSamples.all.first { $0.name == request }).samples
        let sample = try #require(samples.first { $0.name == name })
        let text = String(decoding: try sample.encode(), as: UTF8.self)
        #expect(text.contains(known), "\(request) has no \(known)")
        let error = try #require(throws: CabinetError.self) {
            try sample.recode(Array(text.replacing(known, with: unknown).utf8))
        }
        #expect(error.code == .invalidArguments)
    }

    @Test("with many keys is refused, before they are compared with the known ones")
    func keys() throws {
        let members = (0..<65).map { #""k\#($0)":0"# }.joined(separator: ",")
        let error = try #require(throws: CabinetError.self) {
            try FetchRecordsRequest.coding.decode(Array("{\(members)}".utf8))
        }
        #expect(error.message.contains("at most 64 keys"))
    }

    @Test("does not grow the names of fields that the process keeps")
    func names() throws {
        let before = FieldNames.sharedMemoryInUse
        for number in 0..<100 {
            let record = SampleValues.record(
                SampleValues.milk, number: 1,
                FieldValues(names: FieldNames((0..<20).map { "hostile\(number)x\($0)" }), values: []))
            let coding = try FetchRecordsRequest.Response.coding.encode(.init(results: [.success(record)]))
            _ = try FetchRecordsRequest.Response.coding.decode(coding)
        }
        // Other tests run at the same time, and add a few.
        #expect(FieldNames.sharedMemoryInUse - before < 100 * 20 * 128)
    }
}
