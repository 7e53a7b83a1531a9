import Synchronization

/// A decoded subscription, whose filter is compiled once for a schema.
final class Subscriber: Sendable {
    let stored: StoredSubscription
    /// The position among the subscribers of a database, in which those of a user are adjacent.
    let order: StorageKey
    /// The schema that the filters of the subscriber's list are compiled for.
    let schema: SubscriberSchema

    // The parts of a query that are compared with a change before its filter is evaluated. To copy the query takes longer.

    /// The record type of a query; empty for another subscription.
    let recordType: Record.RecordType
    let zoneID: RecordZone.ID?
    let options: QuerySubscription.Options
    /// The units of work for compiling the filter, which count in every save, so that results do not depend on the cache.
    let unitsToCompile: Int
    /// The units of work for evaluating the filter for a record.
    let unitsPerRecord: Int

    private struct Compiled {
        var version = 0
        var filter: CompiledFilter?
        var error: (any Error)?
    }

    private let compiled = Mutex(Compiled())

    init(_ stored: StoredSubscription, _ schema: SubscriberSchema) {
        self.stored = stored
        self.schema = schema
        order = stored.userKey
        guard case .query(let query) = stored.subscription else {
            (recordType, zoneID, options, unitsToCompile, unitsPerRecord) = ("", nil, [], 0, 0)
            return
        }
        (recordType, zoneID, options) = (query.recordType, query.zoneID, query.querySubscriptionOptions)
        unitsToCompile = query.filter.unitsToCompile
        unitsPerRecord = query.filter.unitsPerRecord
    }

    /// Evaluates the filter of the subscription's query for a record before and after a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - schema: The schema of the database.
    ///   - version: The version of the schema among those of ``schema``.
    /// - Returns: Whether the record matches; `nil` for a record that does not exist.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter does not fit the schema or the record, and the errors of the
    ///   current meter.
    func matches(
        _ change: RecordChange, _ schema: StoredSchema, version: Int
    ) throws -> (before: Bool?, after: Bool?) {
        try compiled.withLock { compiled in
            if compiled.version != version {
                compiled = Compiled(version: version)
                guard case .query(let query) = stored.subscription else { return (nil, nil) }
                do {
                    // The filter may not fit a schema that was extended after the subscription was saved.
                    compiled.filter = try CompiledFilter(
                        query.filter, fields: FieldTypes(of: query.recordType, in: schema))
                    // The notifier counts the work of each evaluation.
                    compiled.filter?.meter = nil
                } catch {
                    compiled.error = error
                }
            }
            if let error = compiled.error { throw error }
            var matches: (before: Bool?, after: Bool?)
            if let before = change.before { matches.before = try compiled.filter?.matches(before) }
            if let after = change.after { matches.after = try compiled.filter?.matches(after) }
            return matches
        }
    }
}

/// The schema that the filters of a list of subscribers are compiled for.
final class SubscriberSchema: Sendable {
    private let known = Mutex<(schema: StoredSchema, version: Int)>((StoredSchema(), 0))

    /// Returns the version of a schema, which changes with the schema.
    func version(of schema: StoredSchema) -> Int {
        known.withLock { known in
            // Nearly always, both are the same dictionaries, which are not compared element by element.
            if known.version == 0 || known.schema != schema { known.version += 1 }
            known.schema = schema
            return known.version
        }
    }
}

/// The subscribers of a topic, in their order.
final class SubscriberList: Sendable {
    let subscribers: [Subscriber]
    /// The number of entries, including those that cannot be decoded.
    let entryCount: Int
    /// An estimate of the memory, in bytes: the texts, and about seven times as much for decoded values and compiled filters.
    let size: Int

    /// Decodes entries.
    ///
    /// A damaged entry must not keep other users from saving; a verification reports it.
    init(_ entries: [StorageEntry]) {
        let schema = SubscriberSchema()
        subscribers = entries.compactMap { entry in
            (try? entry.decoded(as: StoredSubscription.self)).map { Subscriber($0, schema) }
        }
        entryCount = entries.count
        size = entries.reduce(512) { $0 + 512 + 8 * $1.text.utf8.count }
    }
}
