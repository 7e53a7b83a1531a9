import Cabinet
import CabinetTesting
import Foundation
import Testing

@testable import CabinetWire

/// A store in memory that answers in CloudKit Web Services' dialect.
struct CloudKitStore {
    let container: Container
    let host: TestHost
    let clock = TestClock()
    let user: String

    init(user: String = "_ann", schema: SchemaMode = .growing, limits: Limits = .default) throws {
        self.user = user
        container = try Container(
            identifier: "com.example.shopping", backend: MemoryBackend(), account: Account(userRecordName: user),
            schema: schema, limits: limits, now: clock.now)
        host = TestHost()
    }

    func endpoint(
        _ scope: DatabaseScope = .private, account: Account?? = nil, answersSyncToken: Bool = false
    ) -> CloudKitEndpoint {
        CloudKitEndpoint(
            service: container.service, host: host,
            caller: Caller(account: account ?? Account(userRecordName: user), deviceID: "browser"), scope: scope,
            requestID: "R1", answersSyncToken: answersSyncToken)
    }

    /// Answers a request.
    @discardableResult
    func post(
        _ operation: CloudKitOperation, _ json: String = "", in scope: DatabaseScope = .private
    ) async throws -> (status: Int, json: JSONNode) {
        let response = await endpoint(scope).response(to: operation, body: Array(json.utf8))
        return (response.status, try JSONText(response.body).root)
    }

    /// Saves records through `records/modify`, and returns the answers.
    @discardableResult
    func modify(
        _ operations: String, zone: String? = nil, atomic: Bool? = nil
    ) async throws -> (status: Int, json: JSONNode) {
        let zone = zone.map { #","zoneID":{"zoneName":"\#($0)"}"# } ?? ""
        let atomic = atomic.map { #","atomic":\#($0)"# } ?? ""
        return try await post(.recordsModify, #"{"operations":[\#(operations)]\#(zone)\#(atomic)}"#)
    }
}

/// A host that binds texts to the user, in plain sight.
struct TestHost: CloudKitHost {
    func seal(_ text: String, for caller: Caller) -> String { "\(caller.account?.userRecordName ?? "")!\(text)" }

    func open(_ sealed: String, for caller: Caller) throws(CabinetError) -> String {
        let prefix = "\(caller.account?.userRecordName ?? "")!"
        guard sealed.hasPrefix(prefix) else { throw CabinetError(.invalidArguments, "The token is not the caller's.") }
        return String(sealed.dropFirst(prefix.count))
    }

    func uploadURL(for slot: AssetSlot, caller: Caller) throws(CabinetError) -> String {
        let zoneID = slot.recordID.zoneID
        let zone = slot.scope == .shared ? "?zone=\(zoneID.zoneName)&owner=\(zoneID.ownerName)" : ""
        return
            "https://example.com/upload/\(slot.scope)/\(slot.recordType)/\(slot.recordID.recordName)/\(slot.fieldKey)\(zone)"
    }

    func downloadURL(of asset: StoredAsset, in slot: AssetSlot, caller: Caller) -> String? {
        "https://example.com/\(slot.recordID.recordName)/\(slot.fieldKey)/${f}"
    }

    func users(_ lookups: [UserLookup]?, for caller: Caller) async throws -> [UserIdentity?] {
        (lookups ?? []).map { lookup in
            switch lookup {
            case .userRecordName("_ann"), .emailAddress("ann@example.com"):
                UserIdentity(
                    userRecordName: "_ann", givenName: "Ann", familyName: "Lee", emailAddress: "ann@example.com")
            default: nil
            }
        }
    }

    func createToken(environment: String, clientID: String?, for caller: Caller) async throws -> CourierToken {
        CourierToken(token: "t0", courierURL: "https://example.com/wait/t0")
    }

    func registerToken(_ token: String, environment: String, clientID: String?, for caller: Caller) async throws {
        if token != "t0" { throw CabinetError(.unknownItem, "There is no such token.") }
    }
}

extension JSONNode {
    subscript(path: StaticString...) -> JSONNode? { path.reduce(Optional(self)) { $0?[$1] } }

    /// The elements of a member.
    func items(_ key: StaticString) -> [JSONNode] { self[key].map { Array($0.elements) } ?? [] }

    /// The text of a member.
    func text(_ key: StaticString) -> String? { try? self[key]?.string() }

    /// The value written again, on one line.
    var json: String {
        switch kind {
        case .object: "{" + members.map { "\"\($0.key)\":\($0.value.json)" }.joined(separator: ",") + "}"
        case .array: "[" + elements.map(\.json).joined(separator: ",") + "]"
        case .text, .escapedText: "\"\((try? string()) ?? "")\""
        default: text.source(of: text.tokens[position])
        }
    }
}
