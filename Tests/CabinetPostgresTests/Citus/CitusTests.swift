import Cabinet
import Foundation
import PostgresTestSupport
import Testing

@testable import CabinetPostgres

/// A coordinator with two workers, and a third one that is added; `make test-citus` runs these tests.
@Suite(.serialized, .enabled(if: CitusCluster.isRequested), .timeLimit(.minutes(10))) struct CitusTests {
    @Test("The rows of a database lie on one worker, and no upkeep fails")
    func layout() async throws {
        let stores = CitusStores(try await CitusCluster.shared.value)
        let backend = try stores.backend()
        let database = try Container(identifier: "com.example.citus", backend: backend).privateDatabase
        let list = try await database.save(Record(recordType: "Lists"))
        let items = (0..<1100).map { number in
            var item = Record(recordType: "Items")
            item["list"] = Reference(record: list, action: .deleteSelf)
            item["number"] = number
            return item
        }
        _ = try await database.modifyRecords(saving: items, deleting: [])
        for indexes in [[.queryable, .sortable], []] as [Schema.Field.Options] {
            var schema = try await database.schema()
            schema["Items"]["number"] = Schema.Field(.int64, indexes)
            try await database.apply(schema)
        }
        #expect(backend.starter.schemaCache.isDistributed)
        #expect(backend.starter.schemaCache.upkeepFailure == nil)
        let groups = try stores.rows(
            """
            SELECT logicalrelid::regclass::text FROM pg_dist_partition \
            WHERE logicalrelid::regclass::text LIKE '%\(stores.configuration.schema)%' AND colocationid <> (\
            SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = '\(stores.schema).cabinet_state'::regclass)
            """)
        #expect(groups.isEmpty)
        let tables = try stores.rows(
            """
            SELECT c.relname::text FROM pg_class AS c WHERE c.relnamespace = '\(stores.schema)'::regnamespace \
            AND c.relkind = 'r' AND c.oid NOT IN (SELECT logicalrelid FROM pg_dist_partition) ORDER BY 1
            """)
        #expect(
            tables.map { $0[0] } == [
                "cabinet_column", "cabinet_database", "cabinet_layout", "cabinet_record_type", "cabinet_schema",
            ])
        #expect(try await database.count(matching: Query(recordType: "Items")) == 1100)
        await backend.close()
    }

    @Test("A coordinator that fails between the worker's commit and its own loses nothing, and repeats nothing")
    func tornCommit() async throws {
        let cluster = try await CitusCluster(isDurable: true)
        let stores = CitusStores(cluster)
        let backend = try stores.backend()
        let database = try Container(identifier: "com.example.torn", backend: backend).privateDatabase
        let first = try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "first")))
        // The worker commits, and then waits for a standby that does not exist.
        func setStandby(_ name: String) async throws {
            for worker in cluster.workers {
                try await worker.execute("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
                try await worker.execute("SELECT pg_reload_conf()")
            }
        }
        try await setStandby("missing")
        async let saved = database.save(Record(recordType: "Items", recordID: RecordID(recordName: "second")))
        var isWaiting = false
        while !isWaiting {
            for worker in cluster.workers.dropLast() where !isWaiting {
                isWaiting =
                    try !stores.rows("SELECT 1::bigint FROM pg_stat_activity WHERE wait_event = 'SyncRep'", on: worker)
                    .isEmpty
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        try await cluster.coordinator.restart(.immediate)
        try await setStandby("")
        let second = try await saved
        let stored = try await database.record(for: second.recordID)
        #expect(stored.recordChangeTag == second.recordChangeTag)
        let third = try await database.save(Record(recordType: "Items", recordID: RecordID(recordName: "third")))
        #expect(Set([first, second, third].map(\.recordChangeTag)).count == 3)
        let numbers = try stores.rows("SELECT \"___etag\" FROM \(stores.schema).\"Items\" ORDER BY 1").map { $0[0] }
        #expect(Set(numbers).count == 3)
        let writes = try stores.rows("SELECT writes FROM \(stores.schema).cabinet_state WHERE name LIKE 'private/%'")
        let changes = try await database.recordZoneChanges(inZoneWith: .default, since: nil)
        #expect(changes.modificationResultsByID.count == 3)
        print("torn commit: writes \(writes), numbers \(numbers)")
        await backend.close()
    }

    @Test("Writers go on after the coordinator and the workers have crashed, and no acknowledged save is lost")
    func crashes() async throws {
        let cluster = try await CitusCluster(isDurable: true)
        let stores = CitusStores(cluster)
        let load = SavingLoad { try stores.backend() }
        try await load.run {
            for server in [cluster.coordinator] + cluster.workers.dropLast() {
                try await load.waitForMore(60)
                try await server.restart(.immediate)
            }
            try await load.waitForMore(60)
        }
        try await load.check("crashes")
        let failures = await load.failures
        #expect(failures.isEmpty, "\(failures.prefix(3))")
    }

    @Test("A worker is added, and shards move to it and back, while writers write")
    func moves() async throws {
        let cluster = try await CitusCluster(isDurable: true)
        let stores = CitusStores(cluster)
        let load = SavingLoad { try stores.backend() }
        try await load.run {
            try await load.waitForMore(60)
            try await cluster.add(cluster.workers[2])
            let databases = try stores.rows("SELECT id FROM \(stores.schema).cabinet_database")
            for target in [cluster.workers[2], cluster.workers[0]] {
                for id in databases.compactMap({ Int64($0[0]) }) {
                    try await cluster.move(id, in: stores.configuration.schema, to: target)
                    try await load.waitForMore(10)
                }
            }
        }
        try await load.check("moves")
        let failures = await load.failures
        #expect(failures.isEmpty, "\(failures.prefix(3))")
        let places = try stores.rows(
            """
            SELECT DISTINCT nodename::text FROM citus_shards WHERE table_name = '\(stores.schema).cabinet_state'::regclass
            """)
        #expect(places.count <= 2)
    }

    @Test("Prints the durations of requests, beside those of one server")
    func figures() async throws {
        let stores = CitusStores(try await CitusCluster.shared.value)
        for (name, backend) in [("Citus", try stores.backend()), ("one server", try await Stores.backend())] {
            let database = try Container(identifier: "com.example.figures", backend: backend).privateDatabase
            let ids = (0..<300).map { RecordID(recordName: "r\($0)") }
            func median(_ body: (RecordID) async throws -> Void) async throws -> Duration {
                var durations: [Duration] = []
                for id in ids {
                    let start = ContinuousClock.now
                    try await body(id)
                    durations.append(ContinuousClock.now - start)
                }
                return durations.sorted()[durations.count / 2]
            }
            let save = try await median { id in
                var record = Record(recordType: "Items", recordID: id)
                record["number"] = 1
                try await database.save(record)
            }
            let fetch = try await median { _ = try await database.record(for: $0) }
            let query = Query(recordType: "Items", filter: .field("number") == 1, sortedBy: [Sort("number")])
            let page = try await median { _ in _ = try await database.records(matching: query, resultsLimit: 100) }
            print("\(name): save \(save), fetch \(fetch), page of 100 \(page)")
            await backend.close()
        }
    }
}
