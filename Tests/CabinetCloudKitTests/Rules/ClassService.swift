@testable import Cabinet
@testable import CabinetCloudKit

/// Sends a container's requests through CloudKit's classes, so that Cabinet's rules check the classes.
///
/// Requests that CloudKit lacks, such as counts and live queries, go to the container's own service.
struct ClassService: DatabaseService {
    let base: any DatabaseService
    private let original: Container
    private let container: CKContainer

    init(_ original: Container) {
        self.original = original
        base = original.service
        let options = CabinetCloudKit.Options(limits: .default, refusesWhatCloudKitRefuses: false)
        container = CKContainer(
            identifier: original.containerIdentifier, registry: ContainerRegistry(original, options))
    }

    /// Returns a container that sends its requests through CloudKit's classes.
    static func adapt(_ container: Container) -> Container {
        var adapted = container
        adapted.service = ClassService(container)
        return adapted
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

extension ClassService {
    func fetch(_ request: FetchRequest) async throws -> [RecordID: Result<Record, CabinetError>] {
        try await CabinetError.reading {
            let ids = request.recordIDs.map(CKRecord.ID.init)
            let results = try await database(request.scope).records(for: ids, desiredKeys: request.desiredKeys)
            return results.read(id: \.value, value: \.value)
        }
    }

    func modify(
        _ request: ModifyRequest, progress: (@Sendable (AssetProgress) -> Void)?
    ) async throws -> ModifyResponse {
        // In CloudKit, a save has no position, and only an operation reports progress.
        if request.asksForPlace || progress != nil { return try await base.modify(request, progress: progress) }
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
            return ModifyResponse(
                saveResults: Dictionary(saves, uniquingKeysWith: { $1 }).read(id: \.self, value: \.value),
                deleteResults: Dictionary(deletes, uniquingKeysWith: { $1 }).read(id: \.self, value: \.self))
        }
    }

    func query(_ request: QueryRequest) async throws -> QueryResponse {
        // Only Cabinet iterates over records in any order.
        if !request.isOrdered { return try await base.query(request) }
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
            return QueryResponse(records: try results.map { try $1.get().value }, position: cursor?.value.position)
        }
    }
}

// MARK: - Zones and changes

extension ClassService {
    func zones(_ request: FetchZonesRequest) async throws -> [RecordZone.ID: Result<RecordZone, CabinetError>] {
        try await CabinetError.reading {
            let database = database(request.scope)
            if let ids = request.zoneIDs {
                return try await database.recordZones(for: ids.map(CKRecordZone.ID.init))
                    .read(id: \.value, value: \.value)
            }
            let zones = try await database.allRecordZones().map {
                ($0.value.zoneID, Result<_, CabinetError>.success($0.value))
            }
            return Dictionary(uniqueKeysWithValues: zones)
        }
    }

    func modifyZones(_ request: ModifyZonesRequest) async throws -> ModifyZonesResponse {
        try await CabinetError.reading {
            let results = try await database(request.scope).modifyRecordZones(
                saving: request.zonesToSave.map(CKRecordZone.init),
                deleting: request.zoneIDsToDelete.map(CKRecordZone.ID.init))
            return ModifyZonesResponse(
                saveResults: results.saveResults.read(id: \.value, value: \.value),
                deleteResults: results.deleteResults.read(id: \.value, value: \.self))
        }
    }

    func databaseChanges(_ request: DatabaseChangesRequest) async throws -> DatabaseChangesResponse {
        try await CabinetError.reading {
            let page = try await database(request.scope).databaseChanges(
                since: token(request.since, nil, request.scope), resultsLimit: request.resultsLimit)
            return DatabaseChangesResponse(
                modifications: page.modifications.map { .init(zoneID: $0.zoneID.value) },
                deletions: page.deletions.map { .init(zoneID: $0.zoneID.value, reason: .init($0.reason)) },
                place: page.changeToken.value.place, moreComing: page.moreComing)
        }
    }

    func zoneChanges(_ request: ZoneChangesRequest) async throws -> ZoneChangesResponse {
        // CloudKit takes 0 for its own limit.
        if request.resultsLimit == 0 { return try await base.zoneChanges(request) }
        return try await CabinetError.reading {
            // The operation and the asynchronous function read this page, which is in the order of the changes.
            let page = try await database(request.scope).changes(
                ofZone: CKRecordZone.ID(request.zoneID), since: token(request.since, request.zoneID, request.scope),
                desiredKeys: request.desiredKeys, resultsLimit: request.resultsLimit)
            return ZoneChangesResponse(
                records: page.records.map(\.value),
                deletions: page.deletions.map { .init(recordID: $0.recordID.value, recordType: $0.recordType) },
                place: page.changeToken.value.place, moreComing: page.moreComing)
        }
    }
}

// MARK: - Subscriptions

extension ClassService {
    func subscriptions(
        _ request: FetchSubscriptionsRequest
    ) async throws -> [Subscription.ID: Result<Subscription, CabinetError>] {
        try await CabinetError.reading {
            let database = database(request.scope)
            if let ids = request.subscriptionIDs {
                return try await database.subscriptions(for: ids).mapValues { result in
                    CabinetError.reading { try result.get().converted() }
                }
            }
            let all = try await database.allSubscriptions().map { try $0.converted() }
            return Dictionary(uniqueKeysWithValues: all.map { ($0.subscriptionID, .success($0)) })
        }
    }

    func modifySubscriptions(_ request: ModifySubscriptionsRequest) async throws -> ModifySubscriptionsResponse {
        try await CabinetError.reading {
            let results = try await database(request.scope).modifySubscriptions(
                saving: request.subscriptionsToSave.map(CKSubscription.object),
                deleting: request.subscriptionIDsToDelete)
            return ModifySubscriptionsResponse(
                saveResults: results.saveResults.mapValues { result in
                    CabinetError.reading { try result.get().converted() }
                },
                deleteResults: results.deleteResults.read(id: \.self, value: \.self))
        }
    }
}
