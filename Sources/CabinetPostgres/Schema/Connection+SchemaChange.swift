import Cabinet
import Foundation
import SQLSupport

/// Schema changes, each in a transaction of its own, made by one process at a time.
extension Connection {
    /// Creates the container's tables, unless they exist.
    ///
    /// - Throws: ``PostgresFailure``; ``/Cabinet/CabinetError/Code/incompatibleVersion`` if they are of a newer version.
    func createLayout(in schema: SchemaName, timeLimit: Duration) throws {
        try changeSchema(schema, timeLimit: timeLimit) {
            if try layout(in: schema) != nil { return }
            let known = try query(
                "SELECT 1 FROM pg_namespace WHERE nspname = $1", [.text(schema.name)], isPrepared: false)
            if known.count == 0 { try run("CREATE SCHEMA \(schema.quoted)") }
            try asOwner(of: schema) {
                for statement in Layout.creation(in: schema.quoted) { try enqueue(statement, isPrepared: false) }
                guard try hasCitus() else { return }
                try changeShardsInOrder()
                for table in Layout.distributed {
                    let name = "\(schema.quoted).\(table)"
                    try run(Layout.distribution(of: name, by: "database", in: schema.quoted))
                }
            }
        }
    }

    /// Brings the container's tables to the current layout.
    ///
    /// Up to layout 3, words have no positions. They get the word of rows whose relevance the core computes.
    ///
    /// - Complexity: in the number of the records with words, once.
    func upgradeLayout(in schema: SchemaName, timeLimit: Duration) throws {
        try changeSchema(schema, timeLimit: timeLimit) {
            guard let layout = try layout(in: schema), layout.version < Layout.version else { return }
            if layout.isDistributed { try changeShardsInOrder() }
            let tables = try query("SELECT \"tableName\" FROM \(schema.quoted).cabinet_record_type")
            // A large table takes longer than a statement may. Nothing waits behind a change of rows that waits for a row.
            try enqueue("SET LOCAL statement_timeout = 0", isPrepared: false)
            try enqueue("SET LOCAL lock_timeout = 500", isPrepared: false)
            for name in tables.rows.compactMap({ $0.text(0) }) {
                try enqueue(
                    """
                    UPDATE \(schema.quoted).\(SQLName.quoted(name)) SET "___words" = "___words" \
                    || array_to_tsvector(ARRAY["___database" || ':+']) WHERE "___words" IS NOT NULL
                    """, isPrepared: false)
            }
            try enqueue(
                "UPDATE \(schema.quoted).cabinet_layout SET version = \(Layout.version)", isPrepared: false)
            try withoutTimeout { try flush() }
        }
    }

    /// Returns the version of the container's tables and whether Citus distributes them, or `nil` if they do not exist.
    ///
    /// Tables that were created before Citus was installed are not distributed, and lie on the coordinator.
    func layout(in schema: SchemaName) throws -> (version: Int64, isDistributed: Bool)? {
        guard let version = try layoutVersion(in: schema) else { return nil }
        guard try hasCitus() else { return (version, false) }
        let isDistributed = try query(
            "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = $1::text::regclass)",
            [.text("\(schema.quoted).cabinet_state")], isPrepared: false
        ).first?.boolean(0)
        return (version, isDistributed == true)
    }

    /// Returns whether the server is a coordinator of Citus.
    private func hasCitus() throws -> Bool {
        try query("SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')", isPrepared: false)
            .first?.boolean(0) == true
    }

    /// Lets Citus change the shards of a table one after the other, as several changes in one transaction require.
    private func changeShardsInOrder() throws {
        try enqueue("SET LOCAL citus.multi_shard_modify_mode = 'sequential'", isPrepared: false)
    }

    /// Returns the version of the container's tables, or `nil` if they do not exist.
    private func layoutVersion(in schema: SchemaName) throws -> Int64? {
        let table = "\(schema.quoted).cabinet_layout"
        guard try query("SELECT to_regclass($1) IS NOT NULL", [.text(table)]).first?.boolean(0) == true else {
            return nil
        }
        guard let version = try query("SELECT version FROM \(table)").first?.integer(0) else {
            throw PostgresFailure.damaged("cabinet_layout holds no version")
        }
        guard (Layout.oldestVersion...Layout.version).contains(version) else {
            throw CabinetError(
                .incompatibleVersion,
                "The PostgreSQL schema \(schema.name) has layout \(version), but this version of Cabinet supports layout "
                    + "\(Layout.version). Use the version of Cabinet that created the schema, or a newer one.")
        }
        return version
    }

    /// Creates the schema objects that a transaction needs.
    func create(
        _ requirement: MissingSchema, in schemaCache: SchemaCache, configuration: PostgresConfiguration
    ) throws {
        var large: [IndexBuild] = []
        try changeSchema(schemaCache.schema, timeLimit: configuration.busyTimeout) {
            if schemaCache.isDistributed { try changeShardsInOrder() }
            let physical = try PhysicalTables(loadingFrom: self, schema: schemaCache.schema)
            var maker = TableMaker(
                self, schemaCache.schema, physical, configuration, isDistributed: schemaCache.isDistributed)
            let (content, recordType) = (requirement.schema, requirement.recordType)
            try maker.make(
                Array(content.registeredFields(of: recordType).keys), of: content.registeredName(of: recordType))
            if requirement.makesIndexes { large = try maker.makeIndexes(of: content) }
        }
        for index in large { try build(index, in: schemaCache.schema, timeLimit: configuration.busyTimeout) }
        _ = try schemaCache.refreshPhysical(from: self)
    }

    /// Runs a schema change in a transaction, and retries while another process changes the schema or uses its tables.
    ///
    /// - Throws: ``PostgresFailure``, which is ``PostgresFailure/isOfSchemaLock`` if transactions used a table for too long.
    func changeSchema(_ schema: SchemaName, timeLimit: Duration, _ body: () throws -> Void) throws {
        let start = ContinuousClock.now
        var waits = LockWaits(timeLimit: timeLimit)
        while true {
            var hasTurn = false
            do {
                try begin("READ COMMITTED")
                try limitIdleTime()
                try enqueue("SET LOCAL lock_timeout = \(waits.limit.milliseconds)", isPrepared: false)
                // Do not wait for the lock: a waiting transaction has a snapshot, and a concurrent index build waits for that.
                let lock = try query("SELECT pg_try_advisory_xact_lock($1)", [.integer(schema.lockNumber)])
                guard lock.first?.boolean(0) == true else {
                    throw PostgresFailure(
                        state: "55P03", message: "another server changes the schema", server: server)
                }
                hasTurn = true
                try body()
                // Do not require a standby's confirmation: the write that needs the change waits for its own.
                _ = try commit()
                guard isBroken else { return }
                throw PostgresFailure(state: "08006", message: "its commit took too long", server: server)
            } catch {
                try? rollback()
                if var refusal = error as? PostgresFailure, refusal.isRefusal, !refusal.isOfPolicy {
                    refusal.advice = (try? growthAdvice(for: schema)) ?? refusal.advice
                    throw refusal
                }
                guard var failure = error as? PostgresFailure, failure.state == "55P03" || failure.isConflict else {
                    throw error
                }
                failure.isOfSchemaLock = hasTurn && failure.state == "55P03"
                guard ContinuousClock.now - start < timeLimit else { throw failure }
                let pause = failure.isOfSchemaLock ? waits.pause() : .milliseconds(.random(in: 10...100))
                Thread.sleep(forTimeInterval: Double(pause.milliseconds) / 1000)
            }
        }
    }

    /// Rolls back the current transaction, if there is one.
    func rollback() throws {
        guard !isBroken else { return }
        try? flush()
        guard !isBroken, isInTransaction else { return }
        try enqueue(Self.rollback)
        try flush()
    }

    /// Rolls back what is under way, as ``rollback()`` does, and occupies no thread while it waits for long.
    func rolledBack() async {
        guard !isBroken else { return }
        try? await answers()
        guard !isBroken, isInTransaction else { return }
        // A connection whose transaction has not ended is not used again.
        try? enqueue(Self.rollback)
        try? await answers()
    }
}

extension Connection {
    /// Returns whether indexes of a table are built without blocking writers.
    ///
    /// The size of a partitioned table is 0, so its indexes are never built concurrently, which PostgreSQL does not support.
    func isLarge(_ table: String, isDistributed: Bool, _ configuration: PostgresConfiguration) throws -> Bool {
        // The table of the coordinator is empty if it is distributed.
        let function = isDistributed ? "citus_relation_size" : "pg_relation_size"
        let size = try query("SELECT \(function)($1::text::regclass)", [.text(table)])
        return size.first?.integer(0) ?? 0 > configuration.concurrentIndexSize
    }

    /// Creates an index that a table has lost; a key stays missing if rows have the same values.
    func create(_ index: IndexBuild, in schemaCache: SchemaCache, configuration: PostgresConfiguration) throws {
        let (schema, limit) = (schemaCache.schema, configuration.busyTimeout)
        let (table, name) = (index.quotedTable(in: schema.quoted), SQLName.quoted(index.name))
        let isLocal = index.table.hasPrefix("cabinet_") && !Layout.distributed.contains(index.table)
        let isDistributed = schemaCache.isDistributed && !isLocal
        var isLarge = false
        do {
            try changeSchema(schema, timeLimit: limit) {
                if isDistributed { try changeShardsInOrder() }
                isLarge = try self.isLarge(table, isDistributed: isDistributed, configuration)
                if isLarge { return }
                // A large table with partitions takes longer than a statement may.
                try enqueue("SET LOCAL statement_timeout = 0", isPrepared: false)
                try enqueue("DROP INDEX IF EXISTS \(schema.quoted).\(name)", isPrepared: false)
                try enqueue(index.creation(in: schema.quoted), isPrepared: false)
                try withoutTimeout { try flush() }
            }
            guard isLarge else { return }
            try build(index, in: schema, timeLimit: limit)
            // Citus does not support this, and a unique index serves as well.
            guard let key = index.key, !isDistributed else { return }
            try changeSchema(schema, timeLimit: limit) {
                try run("ALTER TABLE \(table) ADD CONSTRAINT \(name) \(key) USING INDEX \(name)")
            }
        } catch let failure as PostgresFailure where failure.state == "23505" {
            // The next check reports the key again.
        }
    }

    /// Builds an index of a large table, without blocking other transactions.
    ///
    /// The index's name is the claim to build it: PostgreSQL adds it before it builds the index. A lock would not do, because
    /// a pooler may run each of these statements on another server connection.
    private func build(_ index: IndexBuild, in schema: SchemaName, timeLimit: Duration) throws {
        guard try removeRemains(of: index, in: schema, timeLimit: timeLimit) else { return }
        // A concurrent build waits for every transaction under way. Behind a pooler, statements outside of transactions have no
        // time limit of Cabinet's.
        let usual = isPooled ? nil : try currentLimits()
        if usual != nil { try limit(statement: "0", lock: "0") }
        defer {
            try? flush()
            if let usual { try? limit(statement: usual.statement, lock: usual.lock) }
        }
        try withoutTimeout {
            do {
                try run(index.concurrentCreation(in: schema.quoted))
            } catch let failure as PostgresFailure
                where failure.isDuplicate && (index.key == nil || failure.state != "23505")
            {
                // Another process is building the index. Queries work without it, too.
            } catch {
                try? run("DROP INDEX CONCURRENTLY IF EXISTS \(schema.quoted).\(SQLName.quoted(index.name))")
                throw error
            }
        }
    }

    /// Drops the invalid index that an interrupted build has left, if no other process is building it.
    ///
    /// - Returns: Whether to build the index: no other process has built it, or is building it.
    private func removeRemains(of index: IndexBuild, in schema: SchemaName, timeLimit: Duration) throws -> Bool {
        var mustBuild = false
        try changeSchema(schema, timeLimit: timeLimit) {
            mustBuild = false
            let found = try query(
                """
                SELECT i.indisvalid, i.indrelid::regclass::text FROM pg_class AS c \
                JOIN pg_index AS i ON i.indexrelid = c.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace \
                WHERE n.nspname = $1 AND c.relname = $2
                """, [.text(schema.name), .text(index.name)], isPrepared: false)
            guard let row = found.first else {
                mustBuild = true
                return
            }
            guard row.boolean(0) == false, let table = row.text(1) else { return }
            // A process that builds an index holds this lock until it has finished.
            try enqueue("SAVEPOINT cabinet_claim", isPrepared: false)
            do {
                try run("LOCK TABLE \(table) IN SHARE UPDATE EXCLUSIVE MODE NOWAIT")
            } catch let failure as PostgresFailure where failure.state == "55P03" {
                try run("ROLLBACK TO SAVEPOINT cabinet_claim")
                return
            }
            try enqueue("DROP INDEX \(schema.quoted).\(SQLName.quoted(index.name))", isPrepared: false)
            mustBuild = true
        }
        return mustBuild
    }

    private func currentLimits() throws -> (statement: String, lock: String) {
        let limits = try query(
            "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')", isPrepared: false)
        return (limits.first?.text(0) ?? "0", limits.first?.text(1) ?? "0")
    }

    private func limit(statement: String, lock: String) throws {
        let limits = [("statement_timeout", statement), ("lock_timeout", lock)]
        for (name, value) in limits {
            try enqueue("SELECT set_config($1, $2, false)", [.text(name), .text(value)], isPrepared: false)
        }
        try flush()
    }

    /// Runs a statement without parameters, in a round trip of its own.
    func run(_ sql: String) throws {
        try enqueue(sql, isPrepared: false)
        try flush()
    }

    /// Collects the statistics of a table that has none.
    ///
    /// Until then, the server sorts a whole zone for the first page by an indexed field.
    func analyzeIfNew(_ table: Table) throws {
        let found = try query(
            "SELECT reltuples < 1 FROM pg_class WHERE oid = $1::text::regclass", [.text(table.quoted)],
            isPrepared: false)
        // A role that does not own the table gets a warning, which is not an error.
        if found.first?.boolean(0) == true { try run("ANALYZE (SKIP_LOCKED) \(table.quoted)") }
    }

    /// Drops the indexes that no database's schema asks for any more.
    ///
    /// - Parameter name: The registered name of the record type.
    func dropUnusedIndexes(of name: String, in schemaCache: SchemaCache, timeLimit: Duration) throws {
        let schema = schemaCache.schema
        try changeSchema(schema, timeLimit: timeLimit) {
            if schemaCache.isDistributed { try changeShardsInOrder() }
            let physical = try PhysicalTables(loadingFrom: self, schema: schema)
            guard let table = physical.tables[name] else { return }
            let schemas = try query("SELECT DISTINCT schema FROM \(schema.quoted).cabinet_state", isPrepared: false)
            let used = try query(
                "SELECT content FROM \(schema.quoted).cabinet_schema WHERE id = ANY($1)",
                [.integers(schemas.rows.map { $0.integer(0) })], isPrepared: false)
            var needed: Set<String> = []
            for row in used.rows {
                guard let stored = row.text(0).flatMap({ DatabaseSchema(content: $0) }),
                    let tables = physical.catalog(id: 0, of: stored, in: schema.quoted)?.tables,
                    let built = tables.first(where: { $0.id == table.id })?.built
                else { continue }
                needed.formUnion(built.names(tableID: table.id))
            }
            let words = TableIndexes.wordsName(tableID: table.id)
            for name in physical.indexes.subtracting(needed) {
                guard name == words || name.hasPrefix("cabinet_index_\(table.id)_") else { continue }
                try enqueue("DROP INDEX \(schema.quoted).\(SQLName.quoted(name))", isPrepared: false)
            }
        }
    }
}
