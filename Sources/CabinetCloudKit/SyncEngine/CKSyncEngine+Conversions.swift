import Cabinet

extension CKSyncEngine.FetchChangesContext {
    init(_ context: SyncEngine.FetchChangesContext) {
        self.init(reason: .init(context.reason), options: .init(context.options))
    }
}

extension CKSyncEngine.SendChangesContext {
    init(_ context: SyncEngine.SendChangesContext) {
        self.init(reason: .init(context.reason), options: .init(context.options))
    }
}

extension CKSyncEngine.SyncReason {
    fileprivate init(_ reason: SyncEngine.SyncReason) {
        switch reason {
        case .scheduled: self = .scheduled
        case .manual: self = .manual
        }
    }
}

extension CKSyncEngine.FetchChangesOptions {
    fileprivate init(_ options: SyncEngine.FetchChangesOptions) {
        switch options.scope {
        case .all: self.init()
        case .allExcluding(let zones):
            // The adapter leaves out the default zone, which has no changes in CloudKit.
            let zones = zones.filter { $0 != .default }
            self.init(scope: zones.isEmpty ? .all : .allExcluding(zones.map { CKRecordZone.ID($0) }))
        case .zoneIDs(let zones): self.init(scope: .zoneIDs(zones.map { CKRecordZone.ID($0) }))
        }
        prioritizedZoneIDs = options.prioritizedZoneIDs.map { CKRecordZone.ID($0) }
    }

    /// The options as Cabinet has them.
    var value: SyncEngine.FetchChangesOptions {
        let value: SyncEngine.FetchChangesOptions.Scope =
            switch scope {
            case .all: .all
            case .allExcluding(let zones): .allExcluding(zones.map(\.value))
            case .zoneIDs(let zones): .zoneIDs(zones.map(\.value))
            }
        return .init(scope: value, prioritizedZoneIDs: prioritizedZoneIDs.map(\.value))
    }
}

extension CKSyncEngine.SendChangesOptions {
    fileprivate init(_ options: SyncEngine.SendChangesOptions) {
        switch options.scope {
        case .all: self.init()
        case .allExcluding(let zones): self.init(scope: .allExcluding(zones.map { CKRecordZone.ID($0) }))
        case .zoneIDs(let zones): self.init(scope: .zoneIDs(zones.map { CKRecordZone.ID($0) }))
        case .recordIDs(let records): self.init(scope: .recordIDs(records.map { CKRecord.ID($0) }))
        }
    }

    /// The options as Cabinet has them.
    var value: SyncEngine.SendChangesOptions {
        switch scope {
        case .all: .init()
        case .allExcluding(let zones): .init(scope: .allExcluding(zones.map(\.value)))
        case .zoneIDs(let zones): .init(scope: .zoneIDs(zones.map(\.value)))
        case .recordIDs(let records): .init(scope: .recordIDs(records.map(\.value)))
        }
    }
}

extension CKSyncEngine.Event.AccountChange.ChangeType {
    init(_ type: SyncEngine.Event.AccountChange.ChangeType) {
        switch type {
        case .signIn(let user): self = .signIn(currentUser: CKRecord.ID(user))
        case .signOut(let user): self = .signOut(previousUser: CKRecord.ID(user))
        case .switchAccounts(let previous, let current):
            self = .switchAccounts(previousUser: CKRecord.ID(previous), currentUser: CKRecord.ID(current))
        }
    }
}

extension CKSyncEngine.Event.FetchedRecordZoneChanges {
    init(_ changes: SyncEngine.Event.FetchedRecordZoneChanges, _ user: String?) {
        modifications = changes.modifications.map { .init(record: .object($0.record, of: user)) }
        deletions = changes.deletions.map {
            .init(recordID: CKRecord.ID($0.recordID), recordType: $0.recordType)
        }
    }
}

extension CKSyncEngine.Event.SentDatabaseChanges {
    init(_ changes: SyncEngine.Event.SentDatabaseChanges) {
        savedZones = changes.savedZones.map { CKRecordZone($0) }
        failedZoneSaves = changes.failedZoneSaves.map { .init(zone: CKRecordZone($0.zone), error: CKError($0.error)) }
        deletedZoneIDs = changes.deletedZoneIDs.map { CKRecordZone.ID($0) }
        failedZoneDeletes = Dictionary(
            changes.failedZoneDeletes.map { (CKRecordZone.ID($0), CKError($1)) }, uniquingKeysWith: { $1 })
    }
}
