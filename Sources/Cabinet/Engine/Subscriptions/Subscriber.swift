import Synchronization

/// A decoded subscription, whose filter is compiled once for a schema.
final class Subscriber: Sendable {
    let stored: StoredSubscription
    /// The position among the subscribers of a database, in which those of a user are adjacent.
    let order: StorageKey
    /// The units of work for compiling the filter, which count in every save, so that results do not depend on the cache.
    let unitsToCompile: Int
    /// The schema that the filters of the subscriber's list are compiled for.
    let schema: SubscriberSchema

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
        if case .query(let query) = stored.subscription {
            unitsToCompile = SubscriptionCost.unitsToCompile(query.filter)
        } else {
            unitsToCompile = 0
        }
    }

    /// Evaluates the filter of the subscription's query for a record before and after a change.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - query: The query.
    ///   - schema: The schema of the database.
    ///   - version: The version of the schema among those of ``schema``.
    ///   - meter: Counts the work.
    /// - Returns: Whether the record matches; `nil` for a record that does not exist.
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the filter does not fit the schema or the record, and the meter's errors.
    func matches(
        _ change: RecordChange, _ query: QuerySubscription, schema: StoredSchema, version: Int, _ meter: WorkMeter
    ) throws -> (before: Bool?, after: Bool?) {
        try compiled.withLock { compiled in
            if compiled.version != version {
                compiled = Compiled(version: version)
                do {
                    // The filter may not fit a schema that was extended after the subscription was saved.
                    compiled.filter = try CompiledFilter(
                        query.filter, fields: FieldTypes(of: query.recordType, in: schema))
                } catch {
                    compiled.error = error
                }
            }
            if let error = compiled.error { throw error }
            compiled.filter?.meter = meter
            defer { compiled.filter?.meter = nil }
            let before = try change.before.map { try compiled.filter?.matches($0) ?? false }
            return (before, try change.after.map { try compiled.filter?.matches($0) ?? false })
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
