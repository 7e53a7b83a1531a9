import Cabinet
import CabinetTesting
import CabinetTools
import Foundation
import Testing

/// Every fault of a backend is found under its name, and nothing else is.
@Suite("Verification")
struct VerificationTests {
    /// A fault that affects only reads of the store.
    struct Damage: Sendable, CustomTestStringConvertible {
        let kinds: Set<IntegrityIssue.Kind>
        let breaks: @Sendable (inout Fault) -> Void
        let testDescription: String

        init(_ name: String, _ kinds: Set<IntegrityIssue.Kind>, _ breaks: @escaping @Sendable (inout Fault) -> Void) {
            testDescription = name
            self.kinds = kinds
            self.breaks = breaks
        }
    }

    static let damages: [Damage] = [
        Damage("fetches by ID miss a record", [.identity, .reference]) {
            $0.mapLoaded { records, ids in zip(records, ids).map { $1.recordName == "list 3" ? nil : $0 } }
            $0.mapExisting { exists, id in exists && id.recordName != "list 3" }
        },
        Damage("fetches by ID lose a field", [.identity]) {
            $0.mapLoaded { records, _ in
                records.map { record in
                    record.map { $0.mapValues { value in value == .int64(7) ? .int64(8) : value } }
                }
            }
        },
        Damage("queries give values of another type", [.identity, .record]) { fault in
            fault.page = { records, _ in
                records.map { $0.mapValues { value in value == .int64(7) ? .string("7") : value } }
            }
        },
        Damage("a record is in no zone", [.record]) {
            $0.mapEntries { $0.key.text.hasPrefix(.zones) && $0.key.text.hasSuffix("/Work") ? nil : $0 }
        },
        Damage("references are not found from their targets", [.referenceIndex]) {
            $0.references = { $0.filter { $0.source.recordName != "item 4" } }
        },
        Damage("references are invented", [.referenceIndex]) { fault in
            fault.references = { found in
                found.map { reference in
                    StoredReference(
                        target: reference.target, source: RecordID(recordName: "item 1"), place: reference.place)
                }
            }
        },
        Damage("an index misses a record", [.index]) {
            $0.indexedPage = { page in
                page.first?.fields.isComplete == false ? page.filter { $0.fields["number"] != .int64(5) } : page
            }
        },
        Damage("an index is in no order", [.index]) {
            $0.indexedPage = { $0.first?.fields.isComplete == false ? $0.reversed() : $0 }
        },
        Damage("words and locations are not found", [.index]) {
            $0.count = { $0 == 1 ? 0 : $0 }
        },
        Damage("the feed misses a record", [.changeFeed]) {
            $0.changes = { $0.filter { $0.name != "item 6" } }
        },
        Damage("the feed reports an existing record as deleted", [.changeFeed]) {
            $0.changes = { changes in
                changes.map { change in
                    guard case .saved(let record) = change, record.recordID.recordName == "item 6" else {
                        return change
                    }
                    return .deleted(
                        StoredDeletion(
                            recordID: record.recordID, recordType: "Items", sequenceNumber: record.sequenceNumber,
                            date: Date()))
                }
            }
        },
        Damage("the feed is in no order", [.changeFeed]) { $0.changes = { $0.reversed() } },
        Damage("numbers are given out twice", [.sequenceNumber, .changeFeed]) {
            $0.changes = { changes in
                let taken = changes.first { $0.name == "item 5" }?.sequenceNumber
                return changes.map { change in
                    guard case .saved(var record) = change, record.recordID.recordName == "item 6", let taken else {
                        return change
                    }
                    record.sequenceNumber = taken
                    return .saved(record)
                }
            }
        },
        Damage("the last number is lost", [.sequenceNumber, .zone, .notification]) {
            $0.mapEntries { $0.key.text == "database" ? StorageEntry(key: $0.key, text: "40") : $0 }
        },
        Damage("zones know nothing of their changes", [.zone]) {
            $0.mapZones { $0.change = max($0.creation, 1) }
        },
        Damage("a user's subscriptions are not found", [.subscription]) {
            $0.mapEntryRanges { range in
                let isOfOneUser = range.lowerBound.text.hasPrefix("subscriptionByUser/_")
                guard isOfOneUser else { return range }
                return StorageKey("subscriptionByUser/_nobody/")..<StorageKey("subscriptionByUser/_nobody0")
            }
        },
        Damage("notifications have impossible numbers", [.notification]) {
            $0.mapNotifications { notification in
                var notification = notification
                notification.sequenceNumber = 1 << 40
                return notification
            }
        },
        Damage("an index is of a field that does not exist", [.schema]) {
            $0.mapSchema { $0.indexes["Items"]?.insert(.compound(["nothing", "number"])) }
        },
        Damage("an asset is not there", [.assetMissing]) {
            $0.foundAssets = { found, _ in found.map { $0?.size == 3 ? nil : $0 } }
        },
        Damage("bytes are changed", [.assetDamaged]) {
            $0.assetBytes = { bytes, _ in bytes.map { Data($0.reversed()) } }
        },
        Damage("bytes are lost", [.assetDamaged]) { $0.assetBytes = { bytes, _ in nil } },
        Damage("bytes are cut off", [.assetDamaged]) { $0.assetBytes = { bytes, _ in bytes?.dropLast() } },
        Damage("the records with an asset are unknown", [.assetUse]) { $0.usedAssets = { _, _ in [] } },
        Damage("the store knows better", [.storage]) {
            $0.issues = { _ in [IntegrityIssue(.storage, "A page is damaged.")] }
        },
    ]

    @Test("Each kind of damage is found", arguments: damages)
    func finds(_ damage: Damage) async throws {
        let memory = MemoryBackend()
        let container = try Container(identifier: "com.example.verified", backend: memory)
        try await Self.fill(container)
        #expect(try await container.verify().findings.map(\.description) == [])
        var fault = Fault()
        damage.breaks(&fault)
        let broken = try Container(
            identifier: "com.example.verified", backend: MutantBackend(fault, base: memory))
        let report = try await broken.verify()
        #expect(Set(report.findings.map(\.kind)) == damage.kinds, "\(report)")
        #expect(!report.isClean)
        // A repair cannot correct a fault of the backend itself, and says so.
        let repaired = try await broken.verify(repairing: true)
        #expect(Set(repaired.remaining.map(\.kind)).isSubset(of: damage.kinds.union([.repair])), "\(repaired)")
        #expect(!repaired.isClean)
        #expect(try await container.verify().findings.map(\.description) == [])
    }

    @Test("Verification accepts an asset whose removal has failed, because the next deletion makes up for it")
    func releasedAssets() async throws {
        let backend = FaultInjectingBackend()
        let container = try Container(identifier: "com.example.verified", backend: backend)
        var note = Record(recordType: "Notes", recordID: "note")
        note["file"] = Asset(data: Data("file".utf8))
        try await container.privateDatabase.save(note)
        // The first transaction deletes the record, the second one removes its asset.
        backend.inject(.failure(.zoneBusy), on: .write, at: 2)
        try await container.privateDatabase.deleteRecord(withID: note.recordID)
        let report = try await container.verify()
        #expect(report.findings.map(\.description) == [])
        #expect(report.counts.assets == 1)
    }

    private static func fill(_ container: Container) async throws {
        let database = container.privateDatabase
        var schema = Schema()
        schema["Items"]["name"] = .init(.string, [.sortable, .searchable])
        schema["Items"]["number"] = .init(.int64, .queryable)
        schema["Items"]["at"] = .init(.location, .queryable)
        try await database.apply(schema)
        let work = RecordZone.ID(zoneName: "Work")
        try await database.save(RecordZone(zoneID: work))
        try await database.save(DatabaseSubscription(subscriptionID: "all"))
        for zone in [RecordZone.ID.default, work] {
            let lists = (0..<8).map {
                Record(recordType: "Lists", recordID: RecordID(recordName: "list \($0)", zoneID: zone))
            }
            let items = (0..<8).map { index in
                var item = Record(recordType: "Items", recordID: RecordID(recordName: "item \(index)", zoneID: zone))
                item["name"] = "Item \(index)"
                item["number"] = index
                item["list"] = Reference(record: lists[index], action: .deleteSelf)
                item["at"] = Location(latitude: 10, longitude: Double(index))
                item["file"] = Asset(data: Data([1, 2, UInt8(index)]))
                return item
            }
            for record in lists + items { try await database.save(record) }
        }
    }
}

extension StoredChange {
    fileprivate var name: String {
        switch self {
        case .saved(let record): record.recordID.recordName
        case .deleted(let deletion): deletion.recordID.recordName
        }
    }
}
