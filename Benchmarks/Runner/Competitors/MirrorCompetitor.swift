import Cabinet
import CabinetMirror
import Foundation

/// A mirror on SQLite, whose server is another store in this process; or a plain container on such a store, or a client of such a server.
final class MirrorCompetitor: Competitor {
    private let isMirror: Bool
    /// Whether the server is reached over a loopback connection.
    private let isRemote: Bool
    private let opening: CabinetCompetitor.Opening
    private var container: Container?
    private var server: LocalDatabaseService?
    private var served: ServedStore?
    private var isDurable = false
    private var prepared: [Record] = []

    init(isMirror: Bool, isRemote: Bool = false, opening: @escaping CabinetCompetitor.Opening) {
        (self.isMirror, self.isRemote) = (isMirror, isRemote)
        self.opening = opening
    }

    private static let identifier = "com.example.benchmark"

    func open(_ name: String, isDurable: Bool) async throws {
        try await close()
        self.isDurable = isDurable
        if isRemote {
            let served = try ServedStore(opening("\(name)-server", isDurable), identifier: Self.identifier)
            self.served = served
            container = isMirror ? try mirror(of: served.client(), in: name) : try served.client()
        } else if isMirror {
            let server = try LocalDatabaseService(backend: opening("\(name)-server", isDurable))
            self.server = server
            container = try mirror(of: Container(identifier: Self.identifier, service: server), in: name)
        } else {
            container = try Container(identifier: Self.identifier, backend: opening(name, isDurable))
        }
    }

    private func mirror(of server: Container, in name: String) throws -> Container {
        var configuration = MirrorConfiguration()
        configuration.automaticallySyncs = false
        return try Container(mirroring: server, in: try opening(name, isDurable), configuration: configuration)
    }

    func close() async throws {
        await container?.close()
        await server?.close()
        await served?.close()
        (container, server, served) = (nil, nil, nil)
    }

    private var opened: Container {
        get throws {
            guard let container else { throw BenchmarkFailure("No store is open.") }
            return container
        }
    }

    func prepareInsertion(lists: [Samples.List], items: [Samples.Item]) async throws {
        prepared =
            lists.map { Record(recordType: "Lists", recordID: RecordID(recordName: $0.id)) }
            + items.map { item in
                var record = Record(recordType: "Items", recordID: RecordID(recordName: item.id))
                record["name"] = item.name
                record["number"] = item.number
                record["list"] = Reference(recordID: RecordID(recordName: item.list), action: .deleteSelf)
                return record
            }
    }

    func insert(batch: Int) async throws { try await Self.save(prepared, batch, in: try opened.privateDatabase) }

    private static func save(_ records: [Record], _ batch: Int, in database: Database) async throws {
        if batch == 1 {
            for record in records { try await database.save(record) }
            return
        }
        for start in stride(from: 0, to: records.count, by: batch) {
            let slice = Array(records[start..<min(start + batch, records.count)])
            for result in try await database.modifyRecords(saving: slice, deleting: []).saveResults.values {
                _ = try result.get()
            }
        }
    }

    func prepareFetch(_ items: [Samples.Item]) async throws {}
    func fetch(each: Int, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func scan(number: Int64, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func list(_ list: Samples.List, _ tally: Tally) async throws { throw BenchmarkFailure.absent }
    func prepareUpdate(_ items: [Samples.Item]) async throws {}
    func update(number: Int64, batch: Int) async throws {}

    func iterate(_ tally: Tally) async throws {
        for try await record in try opened.privateDatabase.recordSequence(matching: Query(recordType: "Items")) {
            tally.add([record])
        }
    }

    func prepareSend() async throws {
        guard isMirror else { return }
        try await opened.mirror?.sendChanges()
        try await insert(batch: 400)
    }

    func send() async throws {
        guard isMirror else { return try await insert(batch: MirrorConfiguration().batchSize) }
        try await opened.mirror?.sendChanges()
    }

    func prepareCopy() async throws { try await opened.mirror?.sendChanges() }

    func copy(to name: String) async throws {
        if let server {
            let mirror = try mirror(of: Container(identifier: Self.identifier, service: server), in: name)
            try await mirror.mirror?.fetchChanges()
            await mirror.close()
            return
        }
        let copy = try Container(identifier: Self.identifier, backend: opening(name, isDurable))
        let changes = try opened.privateDatabase.recordZoneChangeSequence(
            inZoneWith: .default, since: nil, pageSize: MirrorConfiguration().pageSize)
        for try await page in changes {
            let records = page.modifications.map(\.record).filter { $0.recordType != "Users" }.map { old in
                var record = Record(recordType: old.recordType, recordID: old.recordID)
                for key in old.allKeys() { record[key] = old[key] }
                return record
            }
            try await Self.save(records, records.count, in: copy.privateDatabase)
        }
        await copy.close()
    }
}
