import Foundation
import Synchronization

/// A view that collects changes.
final class MemoryTransaction: StorageTransaction {
    private let view: Mutex<MemoryView>
    private let uploads: MemoryUploads

    init(content: MemoryContent, uploads: MemoryUploads) {
        view = Mutex(MemoryView(content: content))
        self.uploads = uploads
    }

    /// Ends the transaction, and returns what it changed.
    func finish() -> MemoryContent.Changes {
        view.withLock { view in
            view.content = MemoryContent()
            return view.changes
        }
    }

    private var snapshot: MemorySnapshot {
        MemorySnapshot(view: view.withLock { $0 })
    }

    func records(for ids: [RecordID], keys: [Record.FieldKey]?) throws -> [StoredRecord?] {
        try view.withLock { try $0.records(for: ids, keys: keys) }
    }

    func records(matching plan: QueryPlan) throws -> [StoredRecord] {
        try snapshot.records(matching: plan)
    }

    func count(matching plan: QueryPlan) throws -> Int {
        try snapshot.count(matching: plan)
    }

    func value(
        of aggregate: Aggregate, over key: Record.FieldKey, matching plan: QueryPlan
    ) throws -> FieldValue? {
        try snapshot.value(of: aggregate, over: key, matching: plan)
    }

    func counts(by key: Record.FieldKey, matching plan: QueryPlan) throws -> [ValueCount] {
        try snapshot.counts(by: key, matching: plan)
    }

    func references(to ids: [RecordID]) -> [StoredReference] {
        view.withLock { $0.references(to: ids) }
    }

    func zones(for ids: Set<RecordZone.ID>?) -> [StoredZone] {
        view.withLock { $0.zones(for: ids) }
    }

    func lastSequenceNumber() -> Int64 {
        view.withLock { $0.lastSequenceNumber }
    }

    func changes(
        inZone zoneID: RecordZone.ID, after number: Int64, limit: Int, keys: [Record.FieldKey]?
    ) throws -> [StoredChange] {
        try snapshot.changes(inZone: zoneID, after: number, limit: limit, keys: keys)
    }

    func zoneChanges(after number: Int64, limit: Int) -> [StoredZoneChange] {
        snapshot.zoneChanges(after: number, limit: limit)
    }

    func schema() -> StoredSchema {
        view.withLock { $0.schema }
    }

    func subscriptions(of userName: String?) -> [StoredSubscription] {
        view.withLock { $0.subscriptions(of: userName) }
    }

    func notifications(to userName: String, after number: Int64, limit: Int) -> [StoredNotification] {
        snapshot.notifications(to: userName, after: number, limit: limit)
    }

    func notificationExpirationNumber(of userName: String) -> Int64 {
        snapshot.notificationExpirationNumber(of: userName)
    }

    func reserveSequenceNumbers(_ count: Int) -> Int64 {
        view.withLock { view in
            let last = view.changes.sequenceNumber ?? view.content.sequenceNumber
            view.changes.sequenceNumber = last + Int64(count)
            return last + 1
        }
    }

    func add(_ fields: [StoredField], to recordType: Record.RecordType) {
        view.withLock { view in
            var schema = view.schema
            let added = Dictionary(fields.map { ($0.name, $0.type) }, uniquingKeysWith: { _, last in last })
            schema.recordTypes[recordType, default: [:]].merge(added) { _, last in last }
            view.changes.schema = schema
        }
    }

    func setIndexes(_ indexes: Set<StoredIndex>, of recordType: Record.RecordType) {
        view.withLock { view in
            var schema = view.schema
            schema.indexes[recordType] = indexes.isEmpty ? nil : indexes
            view.changes.schema = schema
        }
    }

    func add(_ zones: [StoredZone]) {
        view.withLock { view in
            for zone in zones { view.changes.zones[zone.zoneID] = zone }
        }
    }

    func removeZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) {
        view.withLock { $0.removeZones(ids, sequenceNumber: sequenceNumber) }
    }

    func markZones(_ ids: [RecordZone.ID], sequenceNumber: Int64) {
        view.withLock { $0.markZones(ids, sequenceNumber: sequenceNumber) }
    }

    func forgetDeletions(inZone zoneID: RecordZone.ID, before date: Date, keepingLast count: Int) {
        view.withLock { $0.forgetDeletions(inZone: zoneID, before: date, keepingLast: count) }
    }

    func put(_ subscriptions: [StoredSubscription]) {
        view.withLock { $0.put(subscriptions) }
    }

    func removeSubscriptions(_ ids: [Subscription.ID], of userName: String) {
        view.withLock { $0.removeSubscriptions(ids, of: userName) }
    }

    func post(_ notifications: [StoredNotification]) {
        view.withLock { view in
            for notification in notifications {
                view.changes.notifications[notification.userName, default: []].append(notification)
            }
        }
    }

    func forgetNotifications(to userName: String, before date: Date, keepingLast count: Int) {
        view.withLock { $0.forgetNotifications(to: userName, before: date, keepingLast: count) }
    }

    func add(_ asset: StoredAsset, uploadedAs id: UUID) throws {
        guard let bytes = uploads.bytes(of: id) else {
            throw CabinetError(.internalError, "There is no upload \(id): it was ended already.")
        }
        view.withLock { view in
            if view.asset(asset.checksum) == nil { view.changes.assets[asset.checksum] = bytes }
        }
    }

    func removeAssets(_ checksums: [Asset.Checksum]) {
        view.withLock { view in
            for checksum in checksums { view.changes.assets.updateValue(nil, forKey: checksum) }
        }
    }

    func assets(after checksum: Asset.Checksum?, limit: Int) -> [StoredAsset] {
        snapshot.assets(after: checksum, limit: limit)
    }

    func assets(for checksums: [Asset.Checksum]) -> [StoredAsset?] {
        view.withLock { view in checksums.map { view.asset($0) } }
    }

    func assetsInUse(among checksums: [Asset.Checksum]) -> Set<Asset.Checksum> {
        view.withLock { $0.assetsInUse(among: checksums) }
    }

    func bytes(of checksum: Asset.Checksum, in range: Range<Int64>) -> Data? {
        snapshot.bytes(of: checksum, in: range)
    }

    func insert(_ records: [StoredRecord]) {
        put(records)
    }

    func update(_ records: [StoredRecord]) {
        put(records)
    }

    func remove(_ ids: [RecordID], firstSequenceNumber: Int64, date: Date) {
        view.withLock { view in
            for (index, id) in ids.enumerated() {
                guard let record = view.record(for: id) else { continue }
                view.changes.records[id] = .deleted(
                    StoredDeletion(
                        recordID: id, recordType: record.recordType, sequenceNumber: firstSequenceNumber + Int64(index),
                        date: date))
            }
        }
    }

    private func put(_ records: [StoredRecord]) {
        view.withLock { view in
            view.changes.records.reserveCapacity(view.changes.records.count + records.count)
            for record in records { view.changes.records[record.recordID] = .saved(record) }
        }
    }
}
