import Cabinet
import Foundation

/// The owner of a zone, or a participant of its share or of that of a hierarchy, on the same records.
final class SharingCompetitor: Competitor {
    private let isParticipant: Bool
    private let isHierarchy: Bool
    private let opening: CabinetCompetitor.Opening
    private var service: LocalDatabaseService?
    private var containers: (owner: Container, participant: Container)?
    /// The stores that have their zone and its share.
    private var known: Set<String> = []
    private var prepared: [Record] = []
    private var fetched: [RecordID] = []
    private var updated: [Record] = []

    private static let zoneName = "Shared"
    private static let participant = "_participant"

    init(isParticipant: Bool, isHierarchy: Bool = false, opening: @escaping CabinetCompetitor.Opening) {
        self.isParticipant = isParticipant
        self.isHierarchy = isHierarchy
        self.opening = opening
    }

    func open(_ name: String, isDurable: Bool) async throws {
        try await close()
        let service = try LocalDatabaseService(backend: opening(name, isDurable))
        self.service = service
        func container(_ user: String) throws -> Container {
            try Container(
                identifier: "com.example.benchmark", service: service, account: Account(userRecordName: user))
        }
        let containers = (owner: try container("_owner"), participant: try container(Self.participant))
        self.containers = containers
        guard known.insert(name).inserted else { return }
        var schema = Schema()
        schema["Items"]["name"] = Schema.Field(.string, [.queryable, .sortable])
        schema["Items"]["list"] = Schema.Field(.reference)
        try await containers.owner.privateDatabase.apply(schema)
        let url = try await share(Self.zoneName)
        try await containers.participant.accept(try await containers.participant.shareMetadata(for: url))
    }

    func close() async throws {
        await service?.close()
        service = nil
        containers = nil
    }

    /// Creates a zone that is shared with the participant, and returns the share's URL.
    private func share(_ zoneName: String) async throws -> URL {
        guard let database = containers?.owner.privateDatabase else { throw BenchmarkFailure("No store is open.") }
        let zone = try await database.save(RecordZone(zoneName: zoneName))
        let participant = Share.Participant(userRecordName: Self.participant, permission: .readWrite)
        guard isHierarchy else {
            var share = Share(recordZoneID: zone.zoneID)
            share.addParticipant(participant)
            guard let url = try await database.save(share).url else { throw BenchmarkFailure("The share has no URL.") }
            return url
        }
        let root = Record(recordType: "Lists", recordID: RecordID(recordName: Self.rootName, zoneID: zone.zoneID))
        var share = Share(rootRecord: root)
        share.addParticipant(participant)
        let results = try await database.modifyRecords(saving: [root, share.record], deleting: []).saveResults
        guard let saved = try results[share.recordID]?.get(), let url = try Share(saved).url else {
            throw BenchmarkFailure("The share has no URL.")
        }
        return url
    }

    private static let rootName = "root"

    /// The parent of every record, if the hierarchy is shared and not the zone.
    private var parent: Reference? {
        isHierarchy ? Reference(recordID: id(Self.rootName), action: .none) : nil
    }

    private var database: Database {
        get throws {
            guard let containers else { throw BenchmarkFailure("No store is open.") }
            return isParticipant ? containers.participant.sharedDatabase : containers.owner.privateDatabase
        }
    }

    private var zoneID: RecordZone.ID {
        RecordZone.ID(
            zoneName: Self.zoneName, ownerName: isParticipant ? "_owner" : RecordZone.ID.defaultOwnerName)
    }

    private func id(_ name: String) -> RecordID { RecordID(recordName: name, zoneID: zoneID) }

    func prepareInsertion(lists: [Samples.List], items: [Samples.Item]) async throws {
        prepared =
            lists.map { list in
                var record = Record(recordType: "Lists", recordID: id(list.id))
                record.parent = parent
                return record
            }
            + items.map { item in
                var record = Record(recordType: "Items", recordID: id(item.id))
                record["name"] = item.name
                record["number"] = item.number
                record["list"] = Reference(recordID: id(item.list), action: .deleteSelf)
                record.parent = parent
                return record
            }
    }

    func insert(batch: Int) async throws { try await save(prepared, batch: batch) }

    private func save(_ records: [Record], batch: Int) async throws {
        let database = try database
        for start in stride(from: 0, to: records.count, by: batch) {
            let slice = Array(records[start..<min(start + batch, records.count)])
            for result in try await database.modifyRecords(saving: slice, deleting: []).saveResults.values {
                _ = try result.get()
            }
        }
    }

    func prepareFetch(_ items: [Samples.Item]) async throws { fetched = items.map { id($0.id) } }

    func fetch(each: Int, _ tally: Tally) async throws {
        let database = try database
        for start in stride(from: 0, to: fetched.count, by: each) {
            let ids = Array(fetched[start..<min(start + each, fetched.count)])
            let records = try await database.records(for: ids)
            tally.add(try ids.compactMap { try records[$0]?.get() })
        }
    }

    func list(_ list: Samples.List, _ tally: Tally) async throws {
        let query = Query(recordType: "Items", filter: .field("list") == id(list.id), sortedBy: [Sort("name")])
        tally.add(try await database.records(matching: query, inZoneWith: zoneID, resultsLimit: 100).matchResults)
    }

    func scan(number: Int64, _ tally: Tally) async throws { throw BenchmarkFailure.absent }

    func iterate(_ tally: Tally) async throws {
        let items = Query(recordType: "Items")
        for try await record in try database.recordSequence(matching: items, inZoneWith: zoneID) {
            tally.add([record])
        }
    }

    func prepareUpdate(_ items: [Samples.Item]) async throws {
        let ids = items.map { id($0.id) }
        updated = []
        for start in stride(from: 0, to: ids.count, by: 1_000) {
            let ids = Array(ids[start..<min(start + 1_000, ids.count)])
            let records = try await database.records(for: ids)
            updated += try ids.compactMap { try records[$0]?.get() }
        }
    }

    func update(number: Int64, batch: Int) async throws {
        for index in updated.indices { updated[index]["number"] = number + Int64(index) }
        try await save(updated, batch: batch)
    }

    func beginAndEndShares(times: Int) async throws {
        guard let containers else { throw BenchmarkFailure("No store is open.") }
        let owner = containers.owner.privateDatabase
        let own = RecordZone.ID(zoneName: Self.zoneName)
        for _ in 0..<times {
            // In the shared database, the participant leaves; in the private one, the owner stops sharing.
            try await database.deleteRecord(withID: id(Share.zoneWideRecordName))
            var share = isParticipant ? try await owner.share(forZoneWith: own) : Share(recordZoneID: own)
            share.addParticipant(Share.Participant(userRecordName: Self.participant, permission: .readWrite))
            guard let url = try await owner.save(share).url else { throw BenchmarkFailure("The share has no URL.") }
            if isParticipant {
                try await containers.participant.accept(try await containers.participant.shareMetadata(for: url))
            }
        }
    }

    func prepareShares(_ count: Int) async throws {
        guard let participant = containers?.participant else { throw BenchmarkFailure("No store is open.") }
        for number in 0..<count where known.insert("zone \(number)").inserted {
            let url = try await share("Zone\(number)")
            try await participant.accept(try await participant.shareMetadata(for: url))
        }
    }

    func changedZones(_ tally: Tally) async throws {
        for try await page in try database.databaseChangeSequence(since: nil) { tally.count(page.modifications.count) }
    }
}
