import Cabinet
import CabinetWire
import Foundation

/// A service for clients elsewhere, who may do less than the program that has the store.
struct GuardedService: DatabaseService {
    let base: any DatabaseService
    let container: WireContainer
    /// The role of the users who may change the schema of the public database in production.
    let administrators: String
    /// The users that others find by their addresses; `nil` for none.
    let directory: (any UserDirectory)?

    func perform<Request: ServiceRequest>(_ request: Request, for caller: Caller) async throws -> Request.Response {
        try check(request, caller)
        // The service stores and sends errors unchanged; those that the server answers with are masked.
        // The texts that it reads itself do not count for the request.
        return try await ServerCoding.$current.withValue(nil) { try await answer(request, for: caller) }
    }

    private func answer<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        if let directory, let lookups = (request as? FindUsersRequest)?.lookups {
            // The checks of the request are the service's.
            _ = try await base.perform(request, for: caller)
            let users = try await directory.users(lookups, in: container)
            let response = FindUsersRequest.Response(userRecordNames: users.map { $0?.userRecordName })
            if let response = response as? Request.Response { return response }
        }
        return try await base.perform(request, for: caller)
    }

    private func check<Request: ServiceRequest>(_ request: Request, _ caller: Caller) throws(CabinetError) {
        switch request {
        case let request as ModifyRecordsRequest where request.hasEntries:
            // Entries are the store's bookkeeping: zones, subscriptions, and the users of the server.
            throw CabinetError(.permissionFailure, "A server stores no entries for its clients. Leave 'entries' empty.")
        case let request as ModifyRecordsRequest where request.isOfMigration:
            try checkSchema([request.scope], caller)
        case let request as ModifySchemaRequest: try checkSchema(request.scopes, caller)
        case let request as ChangeSchemaRequest: try checkSchema(request.scopes, caller)
        default: break
        }
    }

    private func checkSchema(_ scopes: [DatabaseScope], _ caller: Caller) throws(CabinetError) {
        guard container.environment == .production, scopes.contains(.public), let account = caller.account,
            !account.roles.contains(administrators)
        else { return }
        throw CabinetError(
            .permissionFailure,
            "The schema of the public database changes in production only by a user with the role '\(administrators)'.")
    }

    func send(_ bytes: Data, to upload: UUID, at offset: Int64, for caller: Caller) async throws {
        try await base.send(bytes, to: upload, at: offset, for: caller)
    }

    func bytes(
        of asset: StoredAsset, of recordID: RecordID, in range: Range<Int64>, scope: DatabaseScope, for caller: Caller
    ) async throws -> Data {
        try await base.bytes(of: asset, of: recordID, in: range, scope: scope, for: caller)
    }

    func signals(of scopes: [DatabaseScope], for caller: Caller) throws -> AsyncStream<Void> {
        try base.signals(of: scopes, for: caller)
    }

    /// The service belongs to the program.
    func close() async {}
}
