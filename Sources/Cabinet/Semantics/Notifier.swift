import Foundation

/// Tells subscribers what a transaction changes, in the same transaction.
///
/// There is none if nobody subscribes, which nearly every transaction finds out with one look.
struct Notifier {
    private let transaction: any StorageTransaction
    private let deviceID: String
    private let date: Date
    private let retention: ChangeRetention
    private let subscriptions: [StoredSubscription]

    private var notifications: [StoredNotification] = []
    /// The keys of the notifications that say only that something has changed: once for each transaction is enough.
    private var keys: Set<UserKey> = []
    /// The subscriptions that fire no more.
    private var spent: Set<UserKey> = []

    fileprivate struct UserKey: Hashable {
        let userName: String
        let name: String
    }

    /// - Returns: `nil` if nobody subscribes to anything in the database.
    init?(
        in transaction: any StorageTransaction, deviceID: String, date: Date, retention: ChangeRetention
    ) async throws {
        let subscriptions = try await transaction.subscriptions(of: nil)
        if subscriptions.isEmpty { return nil }
        self.transaction = transaction
        self.deviceID = deviceID
        self.date = date
        self.retention = retention
        // So that what comes first does not depend on the backend.
        self.subscriptions = subscriptions.sorted {
            ($0.userName, $0.subscription.subscriptionID) < ($1.userName, $1.subscription.subscriptionID)
        }
    }

    /// The records that a plan changes, as far as subscribers must know how they were; call it before the plan is carried out.
    func recordsBefore(_ plan: BatchPlan) async throws -> [RecordID: StoredRecord] {
        var needsDeletions = false
        var updatedTypes: Set<Record.RecordType> = []
        for subscription in subscriptions.map(\.subscription) {
            switch subscription {
            case .query(let query):
                if query.querySubscriptionOptions.contains(.firesOnRecordDeletion) { needsDeletions = true }
                if query.querySubscriptionOptions.contains(.firesOnRecordUpdate) {
                    updatedTypes.insert(query.recordType)
                }
            case .recordZone(let zone): if zone.recordType != nil { needsDeletions = true }
            case .database(let database): if database.recordType != nil { needsDeletions = true }
            }
        }
        let updated = plan.updates.filter { updatedTypes.contains($0.recordType) }.map(\.recordID)
        let ids = (needsDeletions ? plan.deletions : []) + updated
        if ids.isEmpty { return [:] }
        var records: [RecordID: StoredRecord] = [:]
        for case let record? in try await transaction.records(for: ids, keys: nil) { records[record.recordID] = record }
        return records
    }

    /// Tells what a plan has changed.
    ///
    /// - Parameters:
    ///   - plan: The plan, which was carried out.
    ///   - before: What ``recordsBefore(_:)`` has found.
    mutating func tell(_ plan: BatchPlan, before: [RecordID: StoredRecord]) async throws {
        let changes = RecordChanges(plan, before: before)
        var schema: StoredSchema?
        for subscriber in subscriptions {
            switch subscriber.subscription {
            case .query(let query):
                // Most changes do not concern most subscribers, whose filters then need not be looked at.
                let relevant = (changes.byType[query.recordType] ?? []).filter { $0.canFire(query) }
                if relevant.isEmpty { continue }
                let known: StoredSchema
                if let schema { known = schema } else { known = try await transaction.schema() }
                schema = known
                tell(relevant, to: query, of: subscriber, schema: known)
            case .recordZone(let zone):
                if FiringRule.fires(changes.typesByZone[zone.zoneID], wanted: zone.recordType) {
                    add(.recordZone(zone.zoneID), to: subscriber)
                }
            case .database(let database):
                if changes.typesByZone.values.contains(where: { FiringRule.fires($0, wanted: database.recordType) }) {
                    add(.database, to: subscriber)
                }
            }
        }
    }

    /// Tells that zones are new.
    mutating func tellMaking(of zoneIDs: [RecordZone.ID]) {
        if zoneIDs.isEmpty { return }
        for subscriber in subscriptions {
            guard case .database(let database) = subscriber.subscription, database.recordType == nil else { continue }
            add(.database, to: subscriber)
        }
    }

    /// Tells that a zone goes with all its records, and ends the subscriptions that are about it; call it before the zone is removed.
    mutating func tellRemoval(of zoneID: RecordZone.ID) async throws {
        let schema = try await transaction.schema()
        for subscriber in subscriptions {
            switch subscriber.subscription {
            case .query(let query):
                guard query.zoneID ?? zoneID == zoneID else { continue }
                try await tellRemoval(of: zoneID, to: query, of: subscriber, schema: schema)
                if query.zoneID == zoneID { spent.insert(subscriber.key) }
            case .recordZone(let zone):
                guard zone.zoneID == zoneID else { continue }
                add(.recordZone(zoneID), to: subscriber)
                spent.insert(subscriber.key)
            case .database: add(.database, to: subscriber)
            }
        }
    }

    /// Stores what was told, and removes the subscriptions that fire no more.
    mutating func finish() async throws {
        for (userName, keys) in Dictionary(grouping: spent, by: \.userName) {
            try await transaction.removeSubscriptions(keys.map(\.name).sorted(), of: userName)
        }
        if notifications.isEmpty { return }
        let first = try await transaction.reserveSequenceNumbers(notifications.count)
        var number = first
        for index in notifications.indices {
            notifications[index].sequenceNumber = number
            number += 1
        }
        try await transaction.post(notifications)
        guard retention.isDue(from: first, to: number - 1) else { return }
        for userName in Set(notifications.map(\.userName)) {
            try await transaction.forgetNotifications(
                to: userName, before: retention.oldestDate(at: date), keepingLast: max(retention.count, 0))
        }
    }
}

extension Notifier {
    private mutating func tell(
        _ changes: [RecordChange], to query: QuerySubscription, of subscriber: StoredSubscription,
        schema: StoredSchema
    ) {
        // The schema may have grown since the subscription was saved so that its filter fits no more. That is no fault of
        // whoever saves now.
        guard
            var filter = try? CompiledFilter(query.filter, fields: FieldTypes(of: query.recordType, in: schema))
        else { return }
        let options = query.querySubscriptionOptions
        for change in changes {
            let before = change.before.map { (try? filter.matches($0)) ?? false }
            let after = change.after.map { (try? filter.matches($0)) ?? false }
            guard let record = change.after ?? change.before,
                let (reason, transition) = FiringRule.firing(options, before: before, after: after)
            else { continue }
            add(.query(.init(record, reason, transition, keys: query.desiredKeys)), to: subscriber)
        }
    }

    private mutating func tellRemoval(
        of zoneID: RecordZone.ID, to query: QuerySubscription, of subscriber: StoredSubscription,
        schema: StoredSchema
    ) async throws {
        let options = query.querySubscriptionOptions
        guard let (reason, transition) = FiringRule.firing(options, before: true, after: nil) else { return }
        var plan = QueryPlan(
            recordType: query.recordType, zoneID: zoneID, filter: query.filter,
            limit: options.contains(.firesOnce) ? 1 : 1000, keys: query.desiredKeys,
            fields: FieldTypes(of: query.recordType, in: schema))
        guard (try? plan.validate()) != nil else { return }
        while true {
            let page: [StoredRecord]
            do {
                page = try await transaction.records(matching: plan)
            } catch CabinetError.Code.invalidArguments {
                // A value with which the filter makes no sense; no fault of whoever deletes the zone.
                return
            }
            for record in page {
                add(.query(.init(record, reason, transition, keys: query.desiredKeys)), to: subscriber)
            }
            guard page.count == plan.limit, !spent.contains(subscriber.key), let last = page.last else { return }
            plan.position = try plan.position(after: last)
        }
    }

    private mutating func add(_ event: SubscriptionNotification.Event, to subscriber: StoredSubscription) {
        if spent.contains(subscriber.key) { return }
        let id = subscriber.subscription.subscriptionID
        var replacementKey: String?
        if case .query(let query) = subscriber.subscription {
            if query.querySubscriptionOptions.contains(.firesOnce) { spent.insert(subscriber.key) }
        } else {
            // Another device's news must not be replaced by one's own, which is not told. No name has a line break.
            let key = "\(id)\n\(deviceID)"
            guard keys.insert(UserKey(userName: subscriber.userName, name: key)).inserted else { return }
            replacementKey = key
        }
        notifications.append(
            StoredNotification(
                userName: subscriber.userName, sequenceNumber: 0, date: date, deviceID: deviceID, subscriptionID: id,
                event: event, replacementKey: replacementKey))
    }
}

extension RecordChange {
    /// Whether the change can fire a subscription, whatever the subscription's filter says of the record.
    fileprivate func canFire(_ query: QuerySubscription) -> Bool {
        guard query.zoneID ?? zoneID == zoneID else { return false }
        // Without the record before, nobody asked for what an update or a deletion fires.
        guard isInsertion == (before == nil) else { return false }
        return FiringRule.canFire(query.querySubscriptionOptions, existed: before != nil, exists: after != nil)
    }
}

extension StoredSubscription {
    fileprivate var key: Notifier.UserKey {
        Notifier.UserKey(userName: userName, name: subscription.subscriptionID)
    }
}

extension SubscriptionNotification.RecordEvent {
    fileprivate init(
        _ record: StoredRecord, _ reason: SubscriptionNotification.Reason,
        _ transition: SubscriptionNotification.Transition, keys: [Record.FieldKey]
    ) {
        var fields: [Record.FieldKey: FieldValue] = [:]
        // A notification may outlive the record, and with it the bytes of its assets.
        for key in keys {
            if let value = record.fields[key], value.fieldType.scalar != .asset { fields[key] = value }
        }
        self.init(recordID: record.recordID, reason: reason, transition: transition, recordFields: fields)
    }
}
