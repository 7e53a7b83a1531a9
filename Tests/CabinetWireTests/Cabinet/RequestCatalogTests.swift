import Cabinet
import CabinetTesting
import CabinetWire
import Foundation
import Testing

/// No request is forgotten, and each is decoded, performed and encoded.
@Suite("The catalog of requests by name")
struct RequestCatalogTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardizedFileURL

    @Test("has every request that a handler answers")
    func complete() throws {
        let file = Self.root.appending(path: "Sources/Cabinet/Service/RequestHandler.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let handled = text.matches(of: #/func response\(to request: (\w+)\)/#).map { String($0.1).lowercased() }
        #expect(handled.count >= 20)
        #expect(Set(handled) == Set(RequestCatalog.names.map { "\($0)Request".lowercased() }))
    }

    /// A service that records the coding of requests, and fails.
    private struct RecordingService: WrappingService {
        let base: any DatabaseService
        let record: @Sendable (String, [UInt8], Caller) -> Void

        func perform<Request: ServiceRequest>(
            _ request: Request, for caller: Caller
        ) async throws -> Request.Response {
            record(Request.name, try Request.coding.encode(request), caller)
            throw CabinetError(.zoneBusy, "Recorded.")
        }
    }

    /// The golden files have the requests in an indented form.
    private static func golden(_ name: String) throws -> [UInt8] {
        let file = root.appending(path: "Tests/ServiceRuleTests/Golden/\(name).json")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let start = try #require(lines.firstIndex(of: "  \"request\": {"))
        let end = try #require(lines[start...].firstIndex { $0 == "  }" || $0 == "  }," })
        return Array("{\(lines[(start + 1)..<end].joined(separator: "\n"))}".utf8)
    }

    @Test("decodes each request, and passes it on with its caller", arguments: RequestCatalog.names)
    func performs(_ name: String) async throws {
        let body = try Self.golden(name)
        let container = try Container(identifier: "com.example.shopping", backend: MemoryBackend())
        let caller = Caller(account: Account(userRecordName: "_ann", roles: ["editors"]), deviceID: "phone")
        await confirmation { performed in
            let service = RecordingService(base: container.service) { request, coding, performer in
                #expect(request == name)
                #expect(performer == caller)
                #expect(Self.isSameJSON(coding, body))
                performed()
            }
            await #expect(throws: CabinetError(.zoneBusy)) {
                _ = try await RequestCatalog.perform(name, body, for: caller, on: service)
            }
        }
    }

    private static func isSameJSON(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        let values = [left, right].map { try? JSONSerialization.jsonObject(with: Data($0)) as? NSObject }
        return values[0] == values[1] && values[0] != nil
    }

    @Test("encodes a response")
    func response() async throws {
        let container = try Container(identifier: "com.example.shopping", backend: MemoryBackend())
        let caller = Caller(account: .default, deviceID: "phone")
        let json = try await RequestCatalog.perform(
            "fetchZones", Array(#"{"scope":2}"#.utf8), for: caller, on: container.service)
        #expect(String(decoding: json, as: UTF8.self) == #"{"results":[{"value":"_defaultZone"}]}"#)
    }

    @Test(
        "refuses an unknown name and a body that is not the request",
        arguments: [("fetchRecord", "{}"), ("fetchZones", "{}"), ("fetchZones", #"{"scope":2,"zone":1}"#), ("", "")])
    func refuses(name: String, body: String) async throws {
        let container = try Container(identifier: "com.example.shopping", backend: MemoryBackend())
        await #expect(throws: CabinetError(.invalidArguments)) {
            _ = try await RequestCatalog.perform(
                name, Array(body.utf8), for: Caller(account: .default, deviceID: "phone"), on: container.service)
        }
    }

    @Test("knows the effect of each request")
    func effects() {
        #expect(RequestCatalog.effect(of: "modifyRecords") == .once)
        #expect(RequestCatalog.effect(of: "queryRecords") == RequestEffect.none)
        #expect(RequestCatalog.effect(of: "unknown") == nil)
    }
}
