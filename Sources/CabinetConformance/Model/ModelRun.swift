import Cabinet
import CabinetTesting
import CabinetTools
import Foundation

/// Several clients and devices on one backend, and the model of their databases.
struct ModelRun {
    /// The users of the clients.
    ///
    /// Two clients share a user.
    static let clients = ["_anna", "_anna", "_ben"]
    /// Deletions are forgotten early, so that tokens expire.
    let retention: ChangeRetention

    private let containers: [Container]
    let clock = TestClock()
    var models: [String: ModelDatabase] = [:]
    private var held: [HeldKey: [Held]] = [:]
    var devices = ModelRun.devices
    var copies = ModelRun.copies.map { _ in LocalCopy() }
    /// The change tag of each version of a record that was seen.
    private var tags: [Int: [String: String]] = [:]

    /// A client's version of a record.
    private struct Held {
        let record: Record
        let model: ModelRecord
        let keys: [String]?
    }

    private struct HeldKey: Hashable {
        let client: Int
        let isPublic: Bool
        let key: ModelKey
    }

    /// - Parameter count: The number of deletions and notifications that are kept.
    init(_ backend: any StorageBackend, retaining count: Int = 4) throws {
        let retention = ChangeRetention(age: 100, count: count)
        self.retention = retention
        containers = try Self.clients.map { [clock] user in
            try Container(
                identifier: "com.example.model", backend: backend, account: Account(userRecordName: user),
                changeRetention: retention, now: clock.now)
        }
    }

    func database(_ client: Int, _ isPublic: Bool) -> Database {
        containers[client].database(with: isPublic ? .public : .private)
    }

    func model(_ client: Int, _ isPublic: Bool) -> ModelDatabase {
        models[Self.name(client, isPublic)] ?? ModelDatabase(isPublic: isPublic)
    }

    static func name(_ client: Int, _ isPublic: Bool) -> String { isPublic ? "public" : clients[client] }

    private mutating func change<Result>(
        _ client: Int, _ isPublic: Bool, _ body: (inout ModelDatabase) throws -> Result
    ) rethrows -> Result {
        try body(&models[Self.name(client, isPublic), default: ModelDatabase(isPublic: isPublic)])
    }

    /// Applies one operation to the store and to the model, and compares the results.
    ///
    /// - Throws: `ConformanceFailure` or ``ModelMismatch`` if the results differ, and any error of the store that the
    ///   model does not expect.
    mutating func step(_ operation: ModelOperation) async throws {
        switch operation {
        case .batch(let client, let isPublic, let edits, let keys, let policy, let isAtomic):
            try await modify(client, isPublic, edits, keys, policy, isAtomic)
            try await compare(client, isPublic)
        case .resolve(let client, let isPublic, let edit, let resolver):
            try await resolve(client, isPublic, edit, resolver)
            try await compare(client, isPublic)
        case .fetch(let client, let isPublic, let key, let keys): try await fetch(client, isPublic, key, keys)
        case .saveZone(let client, let isPublic, let zone):
            try await database(client, isPublic).save(RecordZone(zoneID: RecordZone.ID(model: zone)))
            change(client, isPublic) { $0.saveZone(zone, by: Self.clients[client]) }
            try await compare(client, isPublic)
        case .deleteZone(let client, let isPublic, let zone):
            let code = change(client, isPublic) { $0.deleteZone(zone, by: Self.clients[client]) }
            let (_, results) = try await database(client, isPublic).modifyRecordZones(
                saving: [], deleting: [RecordZone.ID(model: zone)])
            try check(results[RecordZone.ID(model: zone)], code.map { [$0] }, "The deletion of the zone \(zone)")
            try await compare(client, isPublic)
        case .sync(let device, let pages): try await sync(device, pages)
        case .backUp(let device): devices[device].backUp()
        case .restore(let device): devices[device].restore()
        case .update(let copy): try await update(copy)
        case .wait(let seconds): clock.advance(by: TimeInterval(seconds))
        }
    }

    /// Compares all databases with the model, and all devices after a final update.
    mutating func finish() async throws {
        for device in devices.indices { try await sync(device, .max) }
        for copy in copies.indices { try await update(copy) }
        for (client, isPublic) in [(0, false), (2, false), (0, true)] { try await compare(client, isPublic) }
        try expect("The error", try await containers[0].verify().findings.map(\.description), equals: [])
    }
}

extension ModelRun {
    /// The record that results from an edit of the client's version, for the store and for the model.
    private func edited(_ edit: ModelEdit, _ client: Int, _ isPublic: Bool) -> (Record, ModelClientRecord) {
        let versions = held[HeldKey(client: client, isPublic: isPublic, key: edit.key)] ?? []
        let version = edit.age.flatMap { versions.isEmpty ? nil : versions[max(versions.count - 1 - $0, 0)] }
        var record = version?.record ?? Record(recordType: edit.type, recordID: edit.key.recordID)
        for (key, value) in edit.changes { record[key] = value?.recordValue(inZone: edit.key.zone) }
        if let parent = edit.parent {
            record.setParent(parent.map { ModelKey(zone: edit.key.zone, name: $0).recordID })
        }
        return (record, ModelClientRecord(edit, of: version?.model, keys: version?.keys))
    }

    private mutating func hold(
        _ record: Record, _ key: ModelKey, _ client: Int, _ isPublic: Bool, keys: [String]? = nil
    ) throws {
        guard let known = model(client, isPublic).zones[key.zone]?.records[key.name] else {
            throw ModelMismatch(message: "\(key) is in the store, but not in the model.")
        }
        try expect("\(key)", ModelRecord(record), equals: known.read(keys))
        held[HeldKey(client: client, isPublic: isPublic, key: key), default: []]
            .append(Held(record: record, model: known, keys: keys))
    }

    private mutating func modify(
        _ client: Int, _ isPublic: Bool, _ edits: [ModelEdit], _ keys: [ModelKey], _ policy: RecordSavePolicy,
        _ isAtomic: Bool
    ) async throws {
        let saves = edits.map { ($0.key, edited($0, client, isPublic)) }
        let database = database(client, isPublic)
        var (saved, deleted): ([RecordID: Result<Record, CabinetError>], [RecordID: Result<Void, CabinetError>])
        do {
            (saved, deleted) = try await database.modifyRecords(
                saving: saves.map(\.1.0), deleting: keys.map(\.recordID), savePolicy: policy, atomically: isAtomic)
            let failures = saved.values.compactMap(\.code) + deleted.values.compactMap(\.code)
            try expect(!isAtomic || failures.isEmpty, "The atomic batch returned \(failures) instead of throwing.")
        } catch let error as CabinetError where isAtomic && error.code == .partialFailure {
            // Records that the error does not name were saved or deleted.
            saved = try await database.records(for: saves.map(\.0.recordID))
            deleted = Dictionary(keys.map { ($0.recordID, .success(())) }) { $1 }
            for (id, error) in error.partialErrorsByItemID {
                if deleted[id] == nil { saved[id] = .failure(error) } else { deleted[id] = .failure(error) }
            }
        }
        for zone in Set(saves.map(\.0.zone) + keys.map(\.zone)) {
            let drafts = saves.filter { $0.0.zone == zone }.map { ($0.0.name, $0.1.1) }
            let request = ModelRequest(
                user: Self.clients[client], now: clock.now(), saves: Dictionary(drafts) { $1 },
                deletions: Set(keys.filter { $0.zone == zone }.map(\.name)), policy: policy, isAtomic: isAtomic)
            let failures = change(client, isPublic) { $0.modify(zone, request) }
            for (key, _) in saves where key.zone == zone {
                let result = saved[key.recordID]
                try check(result, failures[key.name], "The save of \(key)")
                if case .success(let record)? = result { try hold(record, key, client, isPublic) }
            }
            for key in keys where key.zone == zone {
                try check(deleted[key.recordID], failures[key.name], "The deletion of \(key)")
            }
        }
    }

    private mutating func resolve(
        _ client: Int, _ isPublic: Bool, _ edit: ModelEdit, _ resolver: ModelResolver
    ) async throws {
        let (record, draft) = edited(edit, client, isPublic)
        let result: Result<Record, CabinetError>
        do {
            result = .success(
                try await database(client, isPublic).save(record, resolvingConflictsWith: resolver.resolver))
        } catch let error as CabinetError {
            result = .failure(error)
        }
        let now = clock.now()
        func request(_ draft: ModelClientRecord) -> ModelRequest {
            ModelRequest(user: Self.clients[client], now: now, saves: [edit.key.name: draft], deletions: [])
        }
        var codes = change(client, isPublic) { $0.modify(edit.key.zone, request(draft)) }[edit.key.name]
        if codes == [.serverRecordChanged],
            let server = model(client, isPublic).zones[edit.key.zone]?.records[edit.key.name]
        {
            codes = nil
            if resolver != .serverWins, server.type != draft.type {
                codes = [.invalidArguments]
            } else if let (fields, parent) = draft.resolved(with: server, resolver) {
                var merged = ModelEdit(key: edit.key, type: server.type, changes: [:], parent: .some(parent))
                for key in Set(fields.keys).union(server.fields.keys) { merged.changes[key] = .some(fields[key]) }
                let again = request(ModelClientRecord(merged, of: server, keys: nil))
                codes = change(client, isPublic) { $0.modify(edit.key.zone, again) }[edit.key.name]
            }
        }
        try check(result, codes, "The merge of \(edit.key)")
        if case .success(let record) = result { try hold(record, edit.key, client, isPublic) }
    }

    private mutating func fetch(_ client: Int, _ isPublic: Bool, _ key: ModelKey, _ keys: [String]?) async throws {
        let result = try await database(client, isPublic).records(for: [key.recordID], desiredKeys: keys)[key.recordID]
        let zone = model(client, isPublic).zones[key.zone]
        let code: CabinetError.Code? = zone == nil ? .zoneNotFound : zone?.records[key.name] == nil ? .unknownItem : nil
        try check(result, code.map { [$0] }, "The fetch of \(key)")
        if case .success(let record)? = result { try hold(record, key, client, isPublic, keys: keys) }
    }

    /// Throws unless a result is a success, or a failure with one of some codes.
    func check<Success>(
        _ result: Result<Success, CabinetError>?, _ codes: Set<CabinetError.Code>?, _ subject: String
    ) throws {
        switch result {
        case nil: throw ModelMismatch(message: "\(subject) has no result.")
        case .success?: try expect(codes == nil, "\(subject) succeeded; expected \(codes ?? []).")
        case .failure(let error)?:
            guard codes?.contains(error.code) != true else { return }
            throw ModelMismatch(
                message: "\(subject) failed; expected \(codes.map { "\($0)" } ?? "success").", underlyingError: error)
        }
    }
}

extension ModelRun {
    /// Throws unless each version of a record has one tag, and no other version has that tag.
    private mutating func checkTag(of record: Record, _ model: ModelRecord, in database: String) throws {
        guard let version = model.version, let tag = record.recordChangeTag else {
            throw ModelMismatch(message: "\(record.recordID) has no change tag.")
        }
        let known = tags[version, default: [:]][database] ?? tag
        try expect("The tag of \(record.recordID)", tag, equals: known)
        tags[version, default: [:]][database] = tag
    }

    /// Throws unless a database holds the records of the model.
    mutating func compare(_ client: Int, _ isPublic: Bool) async throws {
        let (database, model) = (database(client, isPublic), model(client, isPublic))
        let zones = try await database.allRecordZones().map(\.zoneID.zoneName)
        try expect("The zones", Set(zones), equals: Set(model.zones.keys))
        var tagged: [String: ModelKey] = [:]
        for type in RandomOperations.types {
            var everywhere: [ModelKey: ModelRecord] = [:]
            for (name, zone) in model.zones {
                let expected = zone.records.filter { $0.value.type == type }
                let query = Query(recordType: type)
                let found = try await database.allRecords(matching: query, inZoneWith: RecordZone.ID(model: name))
                try expect(
                    "The \(type) in \(name)", found.map(\.recordID.recordName).sorted(),
                    equals: expected.keys.sorted())
                for record in found {
                    let key = ModelKey(zone: name, name: record.recordID.recordName)
                    guard let known = expected[key.name] else { continue }
                    try expect("\(key)", ModelRecord(record), equals: known.read())
                    try checkTag(of: record, known, in: Self.name(client, isPublic))
                    if let tag = record.recordChangeTag {
                        try expect("The record with the tag \(tag)", tagged.updateValue(key, forKey: tag), equals: nil)
                    }
                    everywhere[key] = known
                }
                let count = try await database.count(matching: query, inZoneWith: RecordZone.ID(model: name))
                try expect("The number of \(type) in \(name)", count, equals: expected.count)
            }
            try await compare(everywhere, of: type, database)
        }
        try await compareByID(database, model)
    }

    private func compare(_ expected: [ModelKey: ModelRecord], of type: String, _ database: Database) async throws {
        let found = try await database.allRecords(matching: Query(recordType: type))
        try expect("The \(type)", Set(found.map(\.recordID)), equals: Set(expected.keys.map(\.recordID)))
        try expect(
            "The number of \(type)", try await database.count(matching: Query(recordType: type)), equals: expected.count
        )
        let filter = Filter.field("n") >= 3
        let many = try await database.allRecords(matching: Query(recordType: type, filter: filter))
        let expectedMany = expected.filter {
            if case .number(let number)? = $0.value.fields["n"] { number >= 3 } else { false }
        }
        try expect("The \(type) with n >= 3", Set(many.map(\.recordID)), equals: Set(expectedMany.keys.map(\.recordID)))
    }

    private func compareByID(_ database: Database, _ model: ModelDatabase) async throws {
        let keys = model.zones.keys.flatMap { zone in RandomOperations.names.map { ModelKey(zone: zone, name: $0) } }
        let results = try await database.records(for: keys.map(\.recordID))
        for key in keys {
            let known = model.zones[key.zone]?.records[key.name]
            let result = results[key.recordID]
            try check(result, known == nil ? [.unknownItem] : nil, "The fetch of \(key)")
            if case .success(let record)? = result {
                try expect("\(key)", ModelRecord(record), equals: known?.read() ?? ModelRecord(record))
            }
        }
    }
}
