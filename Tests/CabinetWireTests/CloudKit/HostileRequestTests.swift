import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetWire

/// Requests that no client should send are refused clearly, and change nothing that another request has saved.
@Suite("Hostile requests to CloudKit Web Services")
struct HostileRequestTests {
    private static let requests: [(operation: CloudKitOperation, json: String)] = [
        (
            .recordsModify,
            #"{"operations":[{"operationType":"update","record":{"recordType":"Items","recordName":"milk","recordChangeTag":"1","parent":{"recordName":"p"},"fields":{"name":{"value":"x","type":"STRING"},"list":{"value":{"recordName":"L","action":"NONE","zoneID":{"zoneName":"Z"}},"type":"REFERENCE"},"at":{"value":{"latitude":1,"longitude":2,"timestamp":3},"type":"LOCATION"},"photo":{"value":{"fileChecksum":"AA==","size":1,"receipt":"_ann!AA=="},"type":"ASSETID"},"tags":{"value":[1,2],"type":"INT64_LIST"}}}}],"zoneID":{"zoneName":"_defaultZone"},"atomic":true,"desiredKeys":["name"],"numbersAsStrings":false}"#
        ),
        (
            .recordsQuery,
            #"{"query":{"recordType":"Items","filterBy":[{"fieldName":"number","comparator":"IN","fieldValue":{"value":[1],"type":"INT64_LIST"}},{"fieldName":"at","comparator":"NEAR","fieldValue":{"value":{"latitude":1,"longitude":2},"type":"LOCATION"},"distance":5}],"sortBy":[{"fieldName":"at","ascending":true,"relativeLocation":{"value":{"latitude":1,"longitude":2}}}]},"zoneID":{"zoneName":"_defaultZone","ownerRecordName":"_ann"},"zoneWide":false,"resultsLimit":5,"desiredKeys":["name"],"continuationMarker":"_ann!e30="}"#
        ),
        (.recordsLookup, #"{"records":[{"recordName":"milk","desiredKeys":["name"]}],"zoneID":{"zoneName":"Z"}}"#),
        (
            .changesZone,
            #"{"zones":[{"zoneID":{"zoneName":"Z"},"syncToken":"_ann!e30=","desiredRecordTypes":["Items"]}],"resultsLimit":3,"reverse":false}"#
        ),
        (.recordsChanges, #"{"zoneID":{"zoneName":"_defaultZone"},"syncToken":"_ann!e30="}"#),
        (.changesDatabase, #"{"syncToken":"_ann!e30=","resultsLimit":2}"#),
        (.zonesChanges, #"{"metaSyncToken":"_ann!e30="}"#),
        (.zonesLookup, #"{"zones":[{"zoneName":"Z"}]}"#),
        (.zonesModify, #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Z"}}}]}"#),
        (.subscriptionsLookup, #"{"subscriptions":[{"subscriptionID":"s"}]}"#),
        (
            .subscriptionsModify,
            #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"s","subscriptionType":"query","query":{"recordType":"Items","filterBy":[{"fieldName":"number","comparator":"EQUALS","fieldValue":{"value":1}}]},"zoneID":{"zoneName":"Z"},"zoneWide":false,"firesOn":["create"],"firesOnce":true}}]}"#
        ),
        (
            .assetsUpload,
            #"{"tokens":[{"recordName":"n","recordType":"Items","fieldName":"photo"}],"zoneID":{"zoneName":"Z"}}"#
        ),
        (.assetsRereference, #"{"assets":[{"recordName":"milk","fieldName":"photo"}],"zoneID":{"zoneName":"Z"}}"#),
        (.usersDiscover, #"{"lookupInfos":[{"emailAddress":"a@b"}]}"#),
        (.usersLookupID, #"{"users":[{"userRecordName":"_ann"}]}"#),
        (.tokensCreate, #"{"apnsEnvironment":"development","clientId":"c"}"#),
        (.tokensRegister, #"{"apnsEnvironment":"development","apnsToken":"t0"}"#),
    ]

    private func check(_ store: CloudKitStore, _ operation: CloudKitOperation, _ json: [UInt8]) async {
        for scope in [DatabaseScope.private, .public] where scope == .private || operation.isAboutUsers {
            let response = await store.endpoint(scope).response(to: operation, body: json)
            let text = String(decoding: json.prefix(1_000), as: UTF8.self)
            #expect(
                [200, 400, 403, 404, 409, 412, 413].contains(response.status),
                "\(operation): \(response.status) \(text)")
            #expect(throws: Never.self, "\(operation): \(text)") { _ = try JSONText(response.body) }
        }
    }

    @Test("have values of wrong types in every position", arguments: 0..<requests.count)
    func types(_ index: Int) async throws {
        let (operation, json) = Self.requests[index]
        let store = try CloudKitStore()
        let bytes = Array(json.utf8)
        let text = try JSONText(bytes)
        for position in text.tokens.indices.dropLast() {
            let (start, end) = Self.span(position, text)
            let isKey = end < bytes.count && bytes[end] == UInt8(ascii: ":")
            for other in isKey
                ? [#""x""#, #""""#]
                : ["null", "true", "-1", "1e300", #""x""#, #""""#, "[]", "{}", "[null]", "[[]]", #"{"value":{}}"#]
            {
                await check(store, operation, bytes[..<start] + Array(other.utf8) + bytes[end...])
            }
        }
    }

    /// The bytes of a value or key, with its quotation marks.
    private static func span(_ position: Int, _ text: JSONText) -> (Int, Int) {
        let token = text.tokens[position]
        switch token.kind {
        case .text, .escapedText: return (Int(token.start) - 1, Int(token.end) + 1)
        case .object, .array:
            var depth = 0
            var isText = false
            for end in Int(token.start)..<text.bytes.count {
                let byte = text.bytes[end]
                if byte == UInt8(ascii: "\"") { isText.toggle() }
                if isText { continue }
                if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { depth -= 1 }
                if depth == 0 { return (Int(token.start), end + 1) }
            }
            return (Int(token.start), text.bytes.count)
        default: return (Int(token.start), Int(token.end))
        }
    }

    @Test("have random bytes changed, removed and repeated", arguments: 0..<requests.count)
    func bytes(_ index: Int) async throws {
        let (operation, json) = Self.requests[index]
        let store = try CloudKitStore()
        var generator = SeededGenerator(seed: UInt64(index))
        for _ in 0..<150 {
            var bytes = Array(json.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &generator) where !bytes.isEmpty {
                let position = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0...3, using: &generator) {
                case 0: bytes[position] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: position)
                case 2: bytes.insert(contentsOf: bytes[position..<min(position + 20, bytes.count)], at: position)
                default: bytes.insert(Array(#"{}[],:"0e-\u"#.utf8).randomElement(using: &generator) ?? 0, at: position)
                }
            }
            await check(store, operation, bytes)
        }
    }

    @Test("are of other users' tokens, markers and receipts")
    func foreignTexts() async throws {
        let store = try CloudKitStore()
        let token = try #require(try await store.post(.changesDatabase).json.text("syncToken"))
        let ben = store.endpoint(account: Account(userRecordName: "_ben"))
        let answer = await ben.response(to: .changesDatabase, body: Array(#"{"syncToken":"\#(token)"}"#.utf8))
        #expect(answer.status == 400)
        let shared = try await store.post(.changesDatabase, #"{"syncToken":"\#(token)"}"#, in: .public)
        #expect(shared.status == 400)
        let zone = try await store.post(
            .recordsChanges, #"{"zoneID":{"zoneName":"_defaultZone"},"syncToken":"\#(token)"}"#)
        #expect(zone.status == 400)
        #expect(zone.json.text("reason")?.contains("not the sync token of a zone") == true)
        let changes = try await store.post(.recordsChanges, #"{"zoneID":{"zoneName":"_defaultZone"}}"#)
        let other = try #require(changes.json.text("syncToken"))
        for (operation, json, kind) in [
            (CloudKitOperation.changesDatabase, #"{"syncToken":"\#(other)"}"#, "the sync token of a database"),
            (.zonesChanges, #"{"metaSyncToken":"\#(other)"}"#, "the sync token of a database"),
            (
                .recordsQuery, #"{"query":{"recordType":"Items"},"continuationMarker":"\#(other)"}"#,
                "a continuation marker"
            ),
        ] {
            let answer = try await store.post(operation, json)
            #expect(answer.status == 400 && answer.json.text("reason")?.contains("not \(kind)") == true)
        }
    }

    @Test("go ten thousand levels deep, repeat keys, or are very long")
    func shapes() async throws {
        let store = try CloudKitStore()
        let deep = #"{"query":"# + String(repeating: "[", count: 10_000)
        let keys = "{" + (0..<5_000).map { #""k\#($0)":1"# }.joined(separator: ",") + "}"
        let many = #"{"operations":["# + Array(repeating: "{}", count: 100_000).joined(separator: ",") + "]}"
        for json in [deep, #"{"query":{},"query":{}}"#, keys, many, "", "[]", "1", "{", "\u{FEFF}{}"] {
            for operation in CloudKitOperation.allCases { await check(store, operation, Array(json.utf8)) }
        }
    }
}
