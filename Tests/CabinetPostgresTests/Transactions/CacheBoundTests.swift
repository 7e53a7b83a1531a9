import Cabinet
import SQLSupport
import Testing

@testable import CabinetPostgres

/// The caches that "Caches" in CONTRIBUTING lists, each asked for more than it holds.
@Suite struct CacheBoundTests {
    @Test("A connection keeps a limited number of prepared statements")
    func statements() {
        var cache = StatementCache()
        var evicted = 0
        for number in 0..<1000 { evicted += cache.name(of: "SELECT \(number)", types: [])?.evicted.count ?? 0 }
        #expect(evicted == 1000 - StatementCache.limit)
        #expect(cache.count == StatementCache.limit)
    }

    @Test("Behind a pooler, statements stay prepared under the same name until the cache is full")
    func pooledStatements() {
        var cache = StatementCache()
        cache.keepsAll = true
        let first = cache.name(of: "SELECT $1", types: [20])
        #expect(first?.isNew == true)
        let other = cache.name(of: "SELECT $1", types: [25])
        #expect(other?.isNew == true && other?.name != first?.name && other?.evicted == [])
        let again = cache.name(of: "SELECT $1", types: [20])
        #expect(again?.isNew == false && again?.name == first?.name)
        var unprepared = 0
        for number in 0..<1000 where cache.name(of: "SELECT \(number)", types: []) == nil { unprepared += 1 }
        #expect(cache.isFull)
        #expect(unprepared == 1002 - StatementCache.limit)
    }

    @Test("A backend remembers a limited number of schemas, zones and databases")
    func catalogs() throws {
        let schemaCache = SchemaCache(schema: try SchemaName("bounds"))
        var zones = ZoneTable()
        for id in 2...1001 { zones.insert(RecordZone.ID(zoneName: "zone\(id)"), id: Int64(id)) }
        for database in 1...150 { schemaCache.offer(zones, of: Int64(database)) }
        #expect(schemaCache.counts.zones <= SchemaCache.totalZoneLimit)
        #expect(schemaCache.zones(of: 150, through: zones.lastID).count == zones.count)
        #expect(schemaCache.zones(of: 1, through: zones.lastID).count == 1)

        for number in 1...(SchemaCache.databaseLimit + 100) {
            let row = DatabaseRow(id: Int64(number), schema: 1, lastZone: 1, hasDeletions: false, writes: 1)
            schemaCache.expect(row, in: .private(owner: "\(number)"))
        }
        for number in 1...(SchemaCache.catalogLimit + 100) {
            schemaCache.offer(Catalog(id: Int64(number), content: DatabaseSchema(), tables: []))
        }
        #expect(schemaCache.counts.rows <= SchemaCache.databaseLimit)
        #expect(schemaCache.counts.catalogs <= SchemaCache.catalogLimit)
    }

    @Test(
        "A backend remembers the last writes of a limited number of databases, with a limited number of entries and bytes"
    )
    func lastWrites() {
        let writes = LastWrites()
        for number in 1...(LastWrites.limit + 100) {
            let row = DatabaseRow(id: Int64(number), schema: 0, lastZone: 1, hasDeletions: false, writes: 1)
            let last = LastWrite(row: row, catalog: .empty, zones: ZoneTable(), entries: KnownEntries())
            writes.store(last, of: .private(owner: "\(number)"))
            #expect(writes.count <= LastWrites.limit)
        }
        var known = KnownEntries()
        for number in 0..<1000 {
            known.set("text", for: StorageKey("entry/\(number)"))
            #expect(known.count <= KnownEntries.countLimit)
        }
        known.set("text", for: StorageKey("small"))
        known.set(String(repeating: "x", count: KnownEntries.sizeLimit), for: StorageKey("large"))
        #expect(known[StorageKey("small")] == nil && known[StorageKey("large")] == nil)
    }

    @Test("A backend remembers a limited number of databases whose abandoned uploads it has removed")
    func uploadCleanups() {
        let cleanups = UploadCleanups()
        for number in 0..<UploadCleanups.limit + 100 {
            #expect(cleanups.begin(.private(owner: "\(number)")))
            #expect(cleanups.count <= UploadCleanups.limit)
        }
    }

    @Test("A single database with more zones than are remembered of all is remembered alone")
    func largeDatabase() throws {
        let schemaCache = SchemaCache(schema: try SchemaName("bounds"))
        var small = ZoneTable()
        small.insert(RecordZone.ID(zoneName: "a"), id: 2)
        var large = ZoneTable()
        for id in 2...(SchemaCache.totalZoneLimit + 1) {
            large.insert(RecordZone.ID(zoneName: "zone\(id)"), id: Int64(id))
        }
        schemaCache.offer(large, of: 1)
        #expect(schemaCache.counts.zones == large.count)
        schemaCache.offer(small, of: 2)
        #expect(schemaCache.counts.zones == small.count)
    }

    @Test("A query remembers a limited number of the records that key paths lead to")
    func resolvedRecords() async throws {
        let backend = try await Stores.cheapBackend(Stores.configuration())
        try await backend.write(.public) { try await $0.add([], to: "Items") }
        try await backend.read(.public) { snapshot in
            try await (snapshot as? PostgresSnapshot)?.session.use { view in
                try await view.ensureSnapshot()
                let resolver = RecordResolver {
                    try view.records(for: $0, keys: nil)
                } counting: { _ in
                    0
                }
                for start in stride(from: 0, to: 3 * RecordResolver.limit, by: 1000) {
                    try resolver.resolving { resolve in
                        for number in start..<(start + 1000) { _ = try resolve(RecordID(recordName: "r\(number)")) }
                    }
                    #expect(resolver.knownCount < RecordResolver.limit + 1000)
                }
            }
        }
        await backend.close()
    }
}
