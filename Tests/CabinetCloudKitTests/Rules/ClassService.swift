import CabinetTesting
import Foundation

@testable import Cabinet
@testable import CabinetCloudKit

/// Sends a container's requests through CloudKit's classes, so that Cabinet's rules check the classes.
struct ClassService: WrappingService {
    let base: any DatabaseService
    private let handler: ClassHandler

    /// Returns a container that sends its requests through CloudKit's classes.
    static func adapt(_ container: Container) throws -> Container {
        container.over(ClassService(base: container.service, handler: ClassHandler(container)))
    }

    func perform<Request: ServiceRequest>(
        _ request: Request, for caller: Caller
    ) async throws -> Request.Response {
        try await request.response(from: handler)
    }
}

/// Answers the requests that CloudKit has by CloudKit's classes, and passes the others, such as counts, to the container's own service.
struct ClassHandler: RequestHandler {
    private let original: Container
    private let container: CKContainer

    init(_ original: Container) {
        self.original = original
        let options = CabinetCloudKit.Options(limits: .default, refusesWhatCloudKitRefuses: false)
        container = CKContainer(
            identifier: original.containerIdentifier, registry: ContainerRegistry(original, options))
    }

    /// Has the container's own service answer a request.
    func base<Request: ServiceRequest>(_ request: Request) async throws -> Request.Response {
        try await original.client.perform(request)
    }

    private func database(_ scope: DatabaseScope) -> CKDatabase {
        container.database(with: CKDatabase.Scope(rawValue: scope.rawValue) ?? .private)
    }

    private func token(
        _ position: FeedPosition?, _ zoneID: RecordZone.ID?, _ scope: DatabaseScope
    ) -> CKServerChangeToken? {
        position.map { CKServerChangeToken(original.database(with: scope).token($0, zoneID: zoneID)) }
    }
}

// MARK: - Records

extension ClassHandler {
    func response(to request: FetchRecordsRequest) async throws -> FetchRecordsRequest.Response {
        try await CabinetError.reading {
            let ids = request.recordIDs.map(CKRecord.ID.init)
            let results = try await database(request.scope).records(for: ids, desiredKeys: request.desiredKeys)
            return FetchRecordsRequest.Response(
                results: results.read(id: \.value, value: \.value).inOrder(of: request.recordIDs))
        }
    }

    func response(to request: ModifyRecordsRequest) async throws -> ModifyRecordsRequest.Response {
        // In CloudKit, a save has no position, and the classes upload the assets themselves.
        if request.asksForPosition || !request.uploads.isEmpty || !request.refusals.isEmpty {
            return try await base(request)
        }
        return try await CabinetError.reading {
            let records = request.recordsToSave.map(CKRecord.setting)
            // The operation and the asynchronous function report this outcome; the latter throws failures of atomic batches.
            let outcome = try await database(request.scope).modify(
                RecordChanges(
                    saves: records, deletes: request.recordIDsToDelete.map(CKRecord.ID.init),
                    savePolicy: .init(request.savePolicy), isAtomic: request.isAtomic))
            // A saved object has the canonical ID of its zone.
            let saves = zip(request.recordsToSave, outcome.saves).map { ($0.recordID, $1.result) }
            let deletes = zip(request.recordIDsToDelete, outcome.deletes).map { ($0, $1.result) }
            return ModifyRecordsRequest.Response(
                saveResults: Dictionary(saves, uniquingKeysWith: { $1 }).read(id: \.self, value: \.value)
                    .inOrder(of: request.recordsToSave.map(\.recordID)),
                deleteErrors: Dictionary(deletes, uniquingKeysWith: { $1 }).read(id: \.self, value: \.self)
                    .errors(inOrderOf: request.recordIDsToDelete))
        }
    }

    func response(to request: QueryRecordsRequest) async throws -> QueryRecordsRequest.Response {
        // Only Cabinet iterates over records in any order, and has live queries.
        if !request.isOrdered || request.observes { return try await base(request) }
        return try await CabinetError.reading {
            let database = database(request.scope)
            let (results, cursor) =
                if let position = request.position {
                    try await database.records(
                        continuingMatchFrom: CKQueryCursor(
                            Query.Cursor(
                                query: request.query, zoneID: request.zoneID, position: position,
                                origin: original.database(with: request.scope).origin)),
                        desiredKeys: request.desiredKeys, resultsLimit: request.resultsLimit)
                } else {
                    try await database.records(
                        matching: CKQuery(request.query), inZoneWith: request.zoneID.map(CKRecordZone.ID.init),
                        desiredKeys: request.desiredKeys, resultsLimit: request.resultsLimit)
                }
            return QueryRecordsRequest.Response(
                records: try results.map { try $1.get().value }, position: cursor?.value.position)
        }
    }
}

// MARK: - Zones and changes

extension ClassHandler {
    func response(to request: FetchZonesRequest) async throws -> FetchZonesRequest.Response {
        try await CabinetError.reading {
            let database = database(request.scope)
            if let ids = request.zoneIDs {
                let found = try await database.recordZones(for: ids.map(CKRecordZone.ID.init))
                return FetchZonesRequest.Response(
                    results: found.read(id: \.value, value: \.value).inOrder(of: ids))
            }
            return FetchZonesRequest.Response(
                results: try await database.allRecordZones().map { .success($0.value) })
        }
    }

    func response(to request: ModifyZonesRequest) async throws -> ModifyZonesRequest.Response {
        try await CabinetError.reading {
            let results = try await database(request.scope).modifyRecordZones(
                saving: request.zonesToSave.map { CKRecordZone($0) },
                deleting: request.zoneIDsToDelete.map(CKRecordZone.ID.init))
            return ModifyZonesRequest.Response(
                saveResults: results.saveResults.read(id: \.value, value: \.value)
                    .inOrder(of: request.zonesToSave.map(\.zoneID)),
                deleteErrors: results.deleteResults.read(id: \.value, value: \.self)
                    .errors(inOrderOf: request.zoneIDsToDelete))
        }
    }

    func response(
        to request: FetchDatabaseChangesRequest
    ) async throws -> FetchDatabaseChangesRequest.Response {
        try await CabinetError.reading {
            let page = try await database(request.scope).databaseChanges(
                since: token(request.since, nil, request.scope), resultsLimit: request.resultsLimit)
            return FetchDatabaseChangesRequest.Response(
                modifications: page.modifications.map { .init(zoneID: $0.zoneID.value) },
                deletions: page.deletions.map { .init(zoneID: $0.zoneID.value, reason: .init($0.reason)) },
                position: page.changeToken.value.position, moreComing: page.moreComing)
        }
    }

    func response(to request: FetchZoneChangesRequest) async throws -> FetchZoneChangesRequest.Response {
        // CloudKit takes 0 for its own limit.
        if request.resultsLimit == 0 { return try await base(request) }
        return try await CabinetError.reading {
            // The operation and the asynchronous function read this page, which is in the order of the changes.
            let page = try await database(request.scope).changes(
                ofZone: CKRecordZone.ID(request.zoneID), since: token(request.since, request.zoneID, request.scope),
                desiredKeys: request.desiredKeys, resultsLimit: request.resultsLimit)
            return FetchZoneChangesRequest.Response(
                records: page.records.map(\.value),
                deletions: page.deletions.map { .init(recordID: $0.recordID.value, recordType: $0.recordType) },
                position: page.changeToken.value.position, moreComing: page.moreComing)
        }
    }
}

// MARK: - Subscriptions

extension ClassHandler {
    func response(to request: FetchSubscriptionsRequest) async throws -> FetchSubscriptionsRequest.Response {
        try await CabinetError.reading {
            let database = database(request.scope)
            if let ids = request.subscriptionIDs {
                let found = try await database.subscriptions(for: ids).mapValues { result in
                    CabinetError.reading { try result.get().converted() }
                }
                return FetchSubscriptionsRequest.Response(results: found.inOrder(of: ids))
            }
            return FetchSubscriptionsRequest.Response(
                results: try await database.allSubscriptions().map { .success(try $0.converted()) })
        }
    }

    func response(to request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsRequest.Response {
        try await CabinetError.reading {
            let results = try await database(request.scope).modifySubscriptions(
                saving: request.subscriptionsToSave.map(CKSubscription.object),
                deleting: request.subscriptionIDsToDelete)
            let saved = results.saveResults.mapValues { result in
                CabinetError.reading { try result.get().converted() }
            }
            return ModifySubscriptionsRequest.Response(
                saveResults: saved.inOrder(of: request.subscriptionsToSave.map(\.subscriptionID)),
                deleteErrors: results.deleteResults.read(id: \.self, value: \.self)
                    .errors(inOrderOf: request.subscriptionIDsToDelete))
        }
    }
}

// MARK: - Shares

extension ClassHandler {
    private func urls(_ shortGUIDs: [String]) -> [URL] {
        shortGUIDs.map { URL(fileURLWithPath: "/share").appendingPathComponent($0) }
    }

    func response(to request: FetchShareMetadataRequest) async throws -> FetchShareMetadataRequest.Response {
        try await CabinetError.reading {
            let urls = urls(request.shortGUIDs)
            let found = try await container.shareMetadatas(
                for: urls, shouldFetchRootRecord: request.shouldFetchRootRecord,
                rootRecordDesiredKeys: request.rootRecordDesiredKeys)
            return FetchShareMetadataRequest.Response(
                results: found.read(id: \.self) { metadata in
                    SharedZoneMetadata(
                        share: metadata.share.value, metadata.value.participant, rootRecord: metadata.rootRecord?.value)
                }.inOrder(of: urls))
        }
    }

    func response(to request: RequestShareAccessRequest) async throws -> RequestShareAccessRequest.Response {
        try await CabinetError.reading {
            let urls = urls(request.shortGUIDs)
            let found = try await container.requestShareAccess(for: urls)
            return RequestShareAccessRequest.Response(
                errors: urls.map { url in
                    if case .failure(let error)? = found[url] { CabinetError(reading: error) } else { nil }
                })
        }
    }

    func response(to request: AcceptSharesRequest) async throws -> AcceptSharesRequest.Response {
        var response = AcceptSharesRequest.Response()
        for url in urls(request.shortGUIDs) {
            do {
                let metadata = try await container.shareMetadata(for: url)
                let results = try await container.accept([metadata])
                let result = results[metadata] ?? .failure(CKError(.internalError, "No result."))
                response.results.append(result.map(\.value).mapError(CabinetError.init(reading:)))
            } catch let error as CKError where error.code == .permissionFailure {
                response.results.append(.failure(CabinetError(reading: error)))
            } catch {
                throw CabinetError(reading: error)
            }
        }
        return response
    }
}
