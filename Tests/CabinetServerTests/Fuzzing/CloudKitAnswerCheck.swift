import Cabinet
import Foundation

@testable import CabinetWire

/// A client of CloudKit Web Services whose server answers each request with the same bytes.
struct CloudKitAnswerCheck: CloudKitTransport {
    let status: Int
    let body: [UInt8]

    /// Sends a request of each kind.
    ///
    /// - Throws: ``WireFuzzChecks/Violation`` if one fails with an error of another type.
    func run() async throws {
        let handler = CloudKitRequestHandler(self, userRecordName: "_ann")
        let container = try Container(
            identifier: "com.example.notes", service: TranslatedService(handler: handler),
            account: Account(userRecordName: "_ann"))
        let database = container.privateDatabase
        let id = RecordID(recordName: "a")
        try await check { _ = try await database.record(for: id) }
        try await check { try await database.save(Record(recordType: "Notes", recordID: id)) }
        try await check {
            _ = try await database.records(matching: Query(recordType: "Notes", filter: .constant(true)))
        }
        try await check { _ = try await database.allRecordZones() }
        try await check { _ = try await database.recordZoneChanges(inZoneWith: .default, since: nil) }
        try await check { _ = try await database.databaseChanges(since: nil) }
        try await check { _ = try await database.allSubscriptions() }
        let url = URL(fileURLWithPath: "/share/0YnBoYlXvYbxLQv6Aq0Z-w")
        try await check { _ = try await container.shareMetadata(for: url, shouldFetchRootRecord: true) }
    }

    private func check(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch is CabinetError {
        } catch {
            throw WireFuzzChecks.Violation(description: "an error of another type: \(error)")
        }
    }

    func send(_ operation: CloudKitOperation, to scope: DatabaseScope, body: [UInt8]) async throws -> CloudKitResponse {
        CloudKitResponse(status: status, body: self.body)
    }

    func remember(_ url: String, of asset: StoredAsset, in slot: AssetSlot) {}

    func slot(of asset: StoredAsset) -> AssetSlot? { nil }

    func shareURL(of shortGUID: String) -> URL? { URL(fileURLWithPath: "/share/\(shortGUID)") }
    func beginUpload() async throws -> UUID { UUID() }

    func finishUpload(_ upload: UUID) async throws -> StoredAsset {
        throw CabinetError(.unknownItem, "There are no uploads.")
    }

    func endUploads(_ uploads: [UUID]) async {}

    func send(_ upload: UUID, to url: String) async throws -> CloudKitResponse {
        CloudKitResponse(status: status, body: body)
    }
}

/// A service that sends each request in CloudKit's dialect.
private struct TranslatedService: DatabaseService {
    let handler: CloudKitRequestHandler

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try await request.response(from: handler)
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {}

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        throw CabinetError(.assetNotAvailable, "There are no bytes.")
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        AsyncStream { $0.finish() }
    }

    func close() async {}
}
