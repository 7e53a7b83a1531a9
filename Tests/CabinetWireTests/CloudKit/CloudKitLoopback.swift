import Cabinet
import CabinetTesting
import Foundation
import Synchronization

@testable import CabinetWire

/// A service that speaks CloudKit Web Services with another one, as a client with a server.
final class CloudKitLoopback: WrappingService {
    let base: any DatabaseService
    /// Whether the client knows the user's name.
    private let knowsUser: Bool
    /// Receives what the client refuses.
    private let refuse: @Sendable (String) -> Void
    /// Changes or replaces the server's response to a request.
    private let change: Change
    /// The bytes of uploads.
    private let uploads = Mutex<[UUID: Data]>([:])
    /// The fields of fetched assets.
    private let slots = Mutex<[StoredAsset: AssetSlot]>([:])

    init(
        base: any DatabaseService, knowsUser: Bool = true, refuse: @escaping @Sendable (String) -> Void = { _ in },
        change: @escaping Change = { _, response in await response() }
    ) {
        self.base = base
        self.knowsUser = knowsUser
        self.refuse = refuse
        self.change = change
    }

    /// Returns the response to an operation, for which a closure has the server carry it out.
    typealias Change =
        @Sendable (_ operation: CloudKitOperation, _ response: () async -> CloudKitResponse) async -> CloudKitResponse

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        let handler = CloudKitRequestHandler(
            Transport(loopback: self, caller: caller),
            userRecordName: knowsUser ? caller.account?.userRecordName : nil)
        do {
            let response = try await request.response(from: handler)
            for error in Self.errors(in: response) { check(error) }
            return response
        } catch let error as CabinetError {
            check(error)
            throw error
        }
    }

    private static func errors(in response: Any) -> [CabinetError] {
        func error(_ result: Result<some Any, CabinetError>) -> CabinetError? {
            if case .failure(let error) = result { error } else { nil }
        }
        return switch response {
        case let response as ModifyRecordsRequest.Response:
            response.saveResults.compactMap(error) + response.deleteErrors.compactMap(\.self)
        case let response as ModifySubscriptionsRequest.Response: response.saveResults.compactMap(error)
        default: []
        }
    }

    /// Reports an error that names what CloudKit lacks.
    private func check(_ error: CabinetError) {
        if error.message.contains("CloudKit Web Services") { refuse(error.message) }
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        uploads.withLock { uploads in
            let known = uploads[upload, default: Data()]
            uploads[upload] = known + bytes.dropFirst(known.count - Int(offset))
        }
    }

    private struct Transport: CloudKitTransport {
        let loopback: CloudKitLoopback
        let caller: Caller

        private func endpoint(_ scope: DatabaseScope) -> CloudKitEndpoint {
            CloudKitEndpoint(service: loopback.base, host: TestHost(), caller: caller, scope: scope, requestID: "R1")
        }

        func send(
            _ operation: CloudKitOperation, to scope: DatabaseScope, body: [UInt8]
        ) async throws -> CloudKitResponse {
            await loopback.change(operation) { await endpoint(scope).response(to: operation, body: body) }
        }

        func remember(_ url: String, of asset: StoredAsset, in slot: AssetSlot) {
            loopback.slots.withLock { $0[asset] = slot }
        }

        func slot(of asset: StoredAsset) -> AssetSlot? { loopback.slots.withLock { $0[asset] } }

        func shareURL(of shortGUID: String) -> URL? { URL(string: "cabinet://share/\(shortGUID)") }

        func beginUpload() async throws -> UUID { UUID() }

        private func bytes(_ upload: UUID) -> Data { loopback.uploads.withLock { $0[upload] ?? Data() } }

        func finishUpload(_ upload: UUID) async throws -> StoredAsset {
            StoredAsset(checksum: Asset.Checksum(of: bytes(upload)), size: Int64(bytes(upload).count))
        }

        func endUploads(_ uploads: [UUID]) async {
            loopback.uploads.withLock { for upload in uploads { $0[upload] = nil } }
        }

        func send(_ upload: UUID, to url: String) async throws -> CloudKitResponse {
            let items = URLComponents(string: url)?.queryItems ?? []
            var beginning = BeginUploadRequest(in: url.contains("/public/") ? .public : .private)
            if items.count == 2, let zone = items[0].value, let owner = items[1].value {
                beginning.scope = .shared
                beginning.zoneID = RecordZone.ID(zoneName: zone, ownerName: owner)
            }
            let scope = beginning.scope
            let begun = try await loopback.base.perform(beginning, for: caller).upload
            var (rest, offset) = (bytes(upload), Int64(0))
            while !rest.isEmpty {
                let part = rest.prefix(1 << 20)
                try await loopback.base.send(Data(part), to: begun, at: offset, for: caller)
                (rest, offset) = (rest.dropFirst(part.count), offset + Int64(part.count))
            }
            let asset = try await loopback.base.perform(FinishUploadRequest(begun), for: caller)
            return try endpoint(scope).uploadResponse(asset, upload: begun)
        }
    }
}
