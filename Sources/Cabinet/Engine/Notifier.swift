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
    /// The work of the subscriptions of each user so far.
    private var meters: [String: WorkMeter] = [:]

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
        var allowance: Int?
        for subscriber in subscriptions {
            switch subscriber.subscription {
            case .query(let query):
                // Most changes do not concern most subscribers, whose filters then need not be looked at.
                let relevant = (changes.byType[query.recordType] ?? []).filter { $0.canFire(query) }
                if relevant.isEmpty { continue }
                let known: StoredSchema
                if let schema { known = schema } else { known = try await transaction.schema() }
                schema = known
                let limit = allowance ?? SubscriptionCost.allowance(saving: changes)
                allowance = limit
                let meter = meter(of: subscriber, limit: limit)
                WorkMeter.$current.withValue(meter) {
                    tell(relevant, to: query, of: subscriber, schema: known, meter: meter)
                }
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
                let meter = meter(of: subscriber, limit: SubscriptionCost.allowanceForZones)
                let notifications = try await WorkMeter.$current.withValue(meter) {
                    try await Self.removals(of: zoneID, query, in: transaction, schema: schema)
                }
                for event in notifications { add(event, to: subscriber) }
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
    /// The meter of a subscription's owner, which bounds how long the owner's subscriptions delay other users' saves.
    private mutating func meter(of subscriber: StoredSubscription, limit: Int) -> WorkMeter {
        if let meter = meters[subscriber.userName] { return meter }
        let meter = WorkMeter(limit: limit)
        meters[subscriber.userName] = meter
        return meter
    }

    /// Reports changes that fire a subscription, and failures of its filter.
    ///
    /// A failure is reported to the owner; the save succeeds.
    private mutating func tell(
        _ changes: [RecordChange], to query: QuerySubscription, of subscriber: StoredSubscription,
        schema: StoredSchema, meter: WorkMeter
    ) {
        var filter: CompiledFilter?
        for change in changes {
            guard let record = change.after ?? change.before else { continue }
            do {
                if filter == nil {
                    try meter.spend(SubscriptionCost.unitsToCompile(query.filter))
                    // The schema may have grown since the subscription was saved so that its filter does not fit any more.
                    filter = try CompiledFilter(query.filter, fields: FieldTypes(of: query.recordType, in: schema))
                }
                let before = try change.before.map { try filter?.matches($0) ?? false }
                let after = try change.after.map { try filter?.matches($0) ?? false }
                guard
                    let (reason, transition) = FiringRule.firing(
                        query.querySubscriptionOptions, before: before, after: after)
                else { continue }
                add(.query(.init(record, reason, transition, keys: query.desiredKeys)), to: subscriber)
            } catch {
                add(.failure(.init(record.recordID, error)), to: subscriber)
                // Without a filter, or work that is left, the other changes fail alike.
                if filter == nil || (error as? CabinetError)?.code == .limitExceeded { return }
            }
        }
    }

    /// Reports the deletion of a zone to the subscriptions that it fires.
    private static func removals(
        of zoneID: RecordZone.ID, _ query: QuerySubscription, in transaction: any StorageTransaction,
        schema: StoredSchema
    ) async throws -> [SubscriptionNotification.Event] {
        let options = query.querySubscriptionOptions
        guard let (reason, transition) = FiringRule.firing(options, before: true, after: nil) else { return [] }
        var plan = QueryPlan(
            recordType: query.recordType, zoneID: zoneID, filter: query.filter,
            limit: options.contains(.firesOnce) ? 1 : 1000, keys: query.desiredKeys,
            fields: FieldTypes(of: query.recordType, in: schema))
        var events: [SubscriptionNotification.Event] = []
        while true {
            do {
                try plan.validate()
                let page = try await transaction.records(matching: plan)
                for record in page {
                    events.append(.query(.init(record, reason, transition, keys: query.desiredKeys)))
                }
                guard page.count == plan.limit, !options.contains(.firesOnce), let last = page.last else {
                    return events
                }
                plan.position = try plan.position(after: last)
            } catch let error as CabinetError where [.invalidArguments, .limitExceeded].contains(error.code) {
                // A filter that does not fit, or costs too much, does not fail the deletion.
                return events + [.failure(.init(nil, error))]
            }
        }
    }

    private mutating func add(_ event: SubscriptionNotification.Event, to subscriber: StoredSubscription) {
        if spent.contains(subscriber.key) { return }
        let id = subscriber.subscription.subscriptionID
        var deviceID = deviceID
        var replacementKey: String?
        if case .failure = event {
            // The owner is notified on every device, whichever user made the change.
            deviceID = ""
            let key = "\(id)\nfailure\n"
            guard keys.insert(UserKey(userName: subscriber.userName, name: key)).inserted else { return }
            replacementKey = key
        } else if case .query(let query) = subscriber.subscription {
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

extension SubscriptionNotification.FailureEvent {
    fileprivate init(_ recordID: RecordID?, _ error: any Error) {
        let failure = error as? CabinetError
        self.init(
            recordID: recordID, code: failure?.code ?? .internalError,
            message: failure?.message ?? String(describing: error))
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
