import Foundation

/// Collects the notifications of a transaction.
///
/// It does not write itself, so that notifications are committed together with the changes that they describe.
struct Notifier {
    private let deviceID: String
    private let date: Date
    private let subscribers: [Subscriber]
    private let database: DatabaseKey
    private let rules: SchemaRules
    /// Whether some user may not read all records.
    private let isRestricted: Bool

    private var notifications: [StoredNotification] = []
    /// The keys of the notifications that report only that something has changed, at most once per transaction.
    private var keys: Set<UserKey> = []
    /// The subscriptions that have expired.
    private var expired: [UserKey: StoredSubscription] = [:]
    /// The work of each user's subscriptions for deleted zones so far.
    private var meters: [String: WorkMeter] = [:]
    /// The number of each user's notifications so far.
    private var counts: [String: Int] = [:]

    fileprivate struct UserKey: Hashable {
        let userName: String
        let name: String
    }

    /// Creates a notifier.
    ///
    /// - Parameters:
    ///   - subscriptions: The subscriptions that the changes may fire.
    ///   - database: The database.
    ///   - rules: The grants of the database, by which users are notified of records that they may read.
    ///   - deviceID: The device that makes the changes.
    ///   - date: The date of the changes.
    /// - Returns: `nil` if there are no subscriptions.
    init?(
        _ subscriptions: LoadedSubscriptions, in database: DatabaseKey, rules: SchemaRules, deviceID: String,
        date: Date
    ) {
        subscribers = subscriptions.subscribers
        if subscribers.isEmpty { return nil }
        self.database = database
        self.rules = rules
        isRestricted = !PermissionRule(database, user: nil, rules: rules).canReadAll
        self.deviceID = deviceID
        self.date = date
    }

    var count: Int { notifications.count }

    /// The users that are notified.
    var notifiedUsers: Set<String> { Set(notifications.map(\.userName)) }

    /// Adds the notifications of a plan's changes.
    ///
    /// - Parameters:
    ///   - plan: The plan.
    ///   - schema: The schema before the plan.
    mutating func add(_ plan: BatchPlan, schema: StoredSchema) {
        let changes = RecordChanges(plan)
        let schema = schema.adding(plan.schemaAdditions)
        // The subscriptions of a user are adjacent, so one meter limits one user after the other: how long the user's subscriptions
        // delay other users' saves.
        let meter = WorkMeter(limit: SubscriptionCost.allowance(saving: changes))
        WorkMeter.$current.withValue(meter) {
            var user: String?
            var version: (schema: SubscriberSchema, number: Int)?
            var (type, changesOfType) = ("", [RecordChange]())
            for subscriber in subscribers {
                if subscriber.recordType.isEmpty {
                    add(changes, to: subscriber.stored)
                    continue
                }
                if subscriber.recordType != type {
                    type = subscriber.recordType
                    changesOfType = changes.byType[type] ?? []
                }
                // Most changes do not concern most subscriptions.
                guard let first = changesOfType.firstIndex(where: { $0.canFire(subscriber) }) else { continue }
                if subscriber.stored.userName != user {
                    user = subscriber.stored.userName
                    meter.restart()
                }
                if version?.schema !== subscriber.schema {
                    version = (subscriber.schema, subscriber.schema.version(of: schema))
                }
                add(changesOfType[first...], to: subscriber, schema, version: version?.number ?? 0, meter)
            }
        }
    }

    /// Records the creation of zones.
    mutating func addCreation(of zoneIDs: [RecordZone.ID]) {
        if zoneIDs.isEmpty { return }
        for subscriber in subscribers.map(\.stored) {
            guard case .database(let database) = subscriber.subscription, database.recordType == nil else { continue }
            add(.database, to: subscriber)
        }
    }

    /// Records the deletion of a zone and its records, and expires the zone's subscriptions; call this before removing the zone.
    mutating func addRemoval(of zoneID: RecordZone.ID, in transaction: any StorageTransaction) async throws {
        let schema = try await transaction.schema()
        for subscriber in subscribers.map(\.stored) {
            switch subscriber.subscription {
            case .query(let query):
                guard query.zoneID ?? zoneID == zoneID else { continue }
                let room = NotificationRule.maximumCount + 1 - counts[subscriber.userName, default: 0]
                if room > 0 {
                    let meter = meter(of: subscriber, limit: SubscriptionCost.allowanceForZones)
                    let notifications = try await WorkMeter.$current.withValue(meter) {
                        try await Self.removals(
                            of: zoneID, query, limit: room, permissions(of: subscriber), in: transaction,
                            schema: schema)
                    }
                    for event in notifications { add(event, to: subscriber) }
                }
                if query.zoneID == zoneID { expired[subscriber.notifierKey] = subscriber }
            case .recordZone(let zone):
                guard zone.zoneID == zoneID else { continue }
                add(.recordZone(zoneID), to: subscriber)
                expired[subscriber.notifierKey] = subscriber
            case .database: add(.database, to: subscriber)
            }
        }
    }

    /// Assigns sequence numbers to the notifications, and returns the mutations that store them.
    mutating func mutations(_ state: inout DatabaseState) throws -> [StorageMutation] {
        for index in notifications.indices {
            state.lastSequenceNumber += 1
            notifications[index].sequenceNumber = state.lastSequenceNumber
        }
        return try notifications.map { .setEntry($0.key, try StorageEntry.text(of: $0)) }
    }

    /// Removes the subscriptions that have expired.
    func removeExpired(from subscriptions: inout SubscriptionMutations) {
        for (_, stored) in expired.sorted(by: { ($0.key.userName, $0.key.name) < ($1.key.userName, $1.key.name) }) {
            subscriptions.remove(stored)
        }
    }
}

extension Notifier {
    private func permissions(of subscriber: StoredSubscription) -> PermissionRule {
        PermissionRule(database, user: subscriber.userName, roles: Set(subscriber.roles ?? []), rules: rules)
    }

    /// Returns the meter of a subscription's owner for deleted zones.
    private mutating func meter(of subscriber: StoredSubscription, limit: Int) -> WorkMeter {
        if let meter = meters[subscriber.userName] { return meter }
        let meter = WorkMeter(limit: limit)
        meters[subscriber.userName] = meter
        return meter
    }

    /// Adds the notification of changes that fire a zone or database subscription.
    private mutating func add(_ changes: RecordChanges, to subscriber: StoredSubscription) {
        switch subscriber.subscription {
        case .query: break
        case .recordZone(let zone):
            if SubscriptionTrigger.fires(changes.typesByZone[zone.zoneID], wanted: zone.recordType) {
                add(.recordZone(zone.zoneID), to: subscriber)
            }
        case .database(let database):
            if changes.typesByZone.values.contains(where: {
                SubscriptionTrigger.fires($0, wanted: database.recordType)
            }) {
                add(.database, to: subscriber)
            }
        }
    }

    /// Adds notifications for changes that fire a query subscription, and for failures of its filter.
    ///
    /// A failure is reported to the owner; the save succeeds.
    private mutating func add(
        _ changes: ArraySlice<RecordChange>, to subscriber: Subscriber,
        _ schema: StoredSchema, version: Int, _ meter: WorkMeter
    ) {
        guard hasRoom(for: subscriber.stored) else { return }
        var units = subscriber.unitsToCompile
        for index in changes.indices where index == changes.startIndex || changes[index].canFire(subscriber) {
            if isRestricted {
                guard let record = changes[index].record,
                    permissions(of: subscriber.stored).allows(.read, for: record)
                else { continue }
            }
            do {
                let count = (changes[index].before == nil ? 0 : 1) + (changes[index].after == nil ? 0 : 1)
                try meter.spend(units + count * subscriber.unitsPerRecord)
                units = 0
                let (before, after) = try subscriber.matches(changes[index], schema, version: version)
                guard
                    let (reason, transition) = SubscriptionTrigger.firing(
                        subscriber.options, before: before, after: after),
                    let record = changes[index].record, case .query(let query) = subscriber.stored.subscription
                else { continue }
                add(.query(.init(record, reason, transition, keys: query.desiredKeys)), to: subscriber.stored)
                if !hasRoom(for: subscriber.stored) { return }
            } catch {
                add(.failure(.init(changes[index].record?.recordID, error)), to: subscriber.stored)
                // Without remaining work, the other changes would fail in the same way.
                if (error as? CabinetError)?.code == .limitExceeded { return }
            }
        }
    }

    /// Returns the first notifications that the deletion of a zone fires.
    private static func removals(
        of zoneID: RecordZone.ID, _ query: QuerySubscription, limit: Int, _ permissions: PermissionRule,
        in transaction: any StorageTransaction, schema: StoredSchema
    ) async throws -> [SubscriptionNotification.Event] {
        let options = query.querySubscriptionOptions
        guard let (reason, transition) = SubscriptionTrigger.firing(options, before: true, after: nil) else {
            return []
        }
        var events: [SubscriptionNotification.Event] = []
        do {
            let filter = try permissions.readable(
                Query(recordType: query.recordType, filter: query.filter), in: schema)
            let plan = try QueryPlan(
                recordType: query.recordType, zoneID: zoneID, filter: filter,
                limit: options.contains(.firesOnce) ? 1 : limit, keys: query.desiredKeys,
                fields: FieldTypes(of: query.recordType, in: schema))
            for record in try await transaction.records(matching: plan) {
                events.append(.query(.init(record, reason, transition, keys: query.desiredKeys)))
            }
            return events
        } catch let error as CabinetError where error.code == .permissionFailure {
            return []
        } catch let error as CabinetError where [.invalidArguments, .limitExceeded].contains(error.code) {
            // A filter that does not fit the schema, or costs too much, must not fail the deletion.
            return events + [.failure(.init(nil, error))]
        }
    }

    /// Whether another notification of the subscription's owner would be stored, alone or as the one of many changes.
    private func hasRoom(for subscriber: StoredSubscription) -> Bool {
        counts[subscriber.userName, default: 0] <= NotificationRule.maximumCount
    }

    private mutating func add(_ event: SubscriptionNotification.Event, to subscriber: StoredSubscription) {
        if expired[subscriber.notifierKey] != nil || !hasRoom(for: subscriber) { return }
        let id = subscriber.subscription.subscriptionID
        var event = event
        var deviceID = deviceID
        var replacementKey: String?
        if counts[subscriber.userName] == NotificationRule.maximumCount {
            event = .manyChanges
            replacementKey = "\nmany\n\(deviceID)"
        } else if case .failure = event {
            // Notify the owner on every device, for changes of any user.
            deviceID = ""
            let key = "\(id)\nfailure\n"
            guard keys.insert(UserKey(userName: subscriber.userName, name: key)).inserted else { return }
            replacementKey = key
        } else if case .query(let query) = subscriber.subscription {
            if query.querySubscriptionOptions.contains(.firesOnce) { expired[subscriber.notifierKey] = subscriber }
        } else {
            // A device does not receive notifications of its own changes, so they must not replace those of another device. Names
            // have no line breaks.
            let key = "\(id)\n\(deviceID)"
            guard keys.insert(UserKey(userName: subscriber.userName, name: key)).inserted else { return }
            replacementKey = key
        }
        counts[subscriber.userName, default: 0] += 1
        notifications.append(
            StoredNotification(
                userName: subscriber.userName, sequenceNumber: 0, date: date, deviceID: deviceID, subscriptionID: id,
                event: event, replacementKey: replacementKey))
    }
}

extension RecordChange {
    /// The record after the change, or before its deletion.
    fileprivate var record: StoredRecord? { after ?? before }

    /// Whether the change can fire a query subscription, before its filter is evaluated.
    fileprivate func canFire(_ subscriber: Subscriber) -> Bool {
        // The record before an update or a deletion is loaded only if some subscription fires on these.
        if isInsertion != (before == nil) { return false }
        if let wanted = subscriber.zoneID, wanted != zoneID { return false }
        return SubscriptionTrigger.canFire(subscriber.options, existed: before != nil, exists: after != nil)
    }
}

extension StoredSubscription {
    fileprivate var notifierKey: Notifier.UserKey {
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
        // The bytes of an asset may be removed before the notification, which is not decrypted either.
        for key in keys {
            guard let value = record.fields[key], value.fieldType.scalar != .asset else { continue }
            if !value.fieldType.isEncrypted { fields[key] = value }
        }
        self.init(recordID: record.recordID, reason: reason, transition: transition, recordFields: fields)
    }
}
