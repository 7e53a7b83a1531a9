import Cabinet
import Foundation

/// A database in its simplest form: dictionaries.
struct ModelDatabase {
    struct Zone {
        var records: [String: ModelRecord] = [:]
        let creator: String
        /// The version at which the zone was created.
        let birth: Int
        /// The versions at which records were deleted, in order.
        var deletions: [Date] = []
    }

    let isPublic: Bool
    var zones = [RecordZone.ID.modelDefault: Zone(creator: "", birth: 0)]
    private(set) var version = 0

    init(isPublic: Bool) {
        self.isPublic = isPublic
    }

    mutating func nextVersion() -> Int {
        version += 1
        return version
    }
}

/// A request's operations on one zone.
struct ModelRequest {
    let user: String
    let now: Date
    var saves: [String: ModelClientRecord]
    var deletions: Set<String>
    var policy = RecordSavePolicy.ifServerRecordUnchanged
    var isAtomic = true
}

extension ModelDatabase {
    /// Applies a request's operations on one zone.
    ///
    /// - Returns: For each record that fails, the codes that its error may have.
    mutating func modify(_ zoneName: String, _ request: ModelRequest) -> [String: Set<CabinetError.Code>] {
        let all = Set(request.saves.keys).union(request.deletions)
        guard let zone = zones[zoneName] else { return Dictionary(all.map { ($0, [.zoneNotFound]) }) { $1 } }
        var drafts: [String: ModelRecord] = [:]
        var failures: [String: Set<CabinetError.Code>] = [:]
        for (name, client) in request.saves.sorted(by: { $0.key < $1.key }) {
            switch draft(client, over: zone.records[name], request) {
            case .success(let draft): drafts[name] = draft
            case .failure(let error): failures[name] = [error.code]
            }
        }
        if isPublic {
            for name in request.deletions where zone.records[name].map({ $0.creator != request.user }) == true {
                failures[name] = [.permissionFailure]
            }
        }
        // All are tried; then those that fail are left out, until the rest succeeds.
        while true {
            let roots = request.deletions.filter { failures[$0] == nil }
            if !request.isAtomic || failures.isEmpty {
                let stored = zone.records.filter { drafts[$0.key] == nil }
                let doomed = Self.cascade(from: roots, in: stored)
                // Of a batch that is not atomic, deletions are judged by the state with its saves.
                let state = request.isAtomic ? stored : stored.merging(drafts) { $1 }
                // A save that no state allows fails first, and denies no deletion.
                let dangling = drafts.filter { $0.value.ties.contains { state[$0.name] == nil } }.keys
                if !request.isAtomic, !dangling.isEmpty {
                    for name in dangling { (failures[name], drafts[name]) = ([.referenceViolation], nil) }
                    continue
                }
                let binding = state.filter { !isPublic || $0.value.creator == request.user }
                var new = Self.violations(
                    deleting: roots, doomed: Self.cascade(from: roots, in: state), in: state, by: binding)
                let after = stored.filter { !doomed.contains($0.key) }.merging(drafts) { $1 }
                if new.isEmpty || request.isAtomic {
                    for (name, draft) in drafts where draft.ties.contains(where: { after[$0.name] == nil }) {
                        new.insert(name)
                    }
                }
                if new.isEmpty {
                    apply(drafts, deleting: doomed.filter { zone.records[$0] != nil }, in: zoneName, request)
                    return failures
                }
                for name in new { failures[name] = [.referenceViolation] }
            }
            for name in failures.keys { drafts[name] = nil }
            if request.isAtomic {
                // In an atomic batch, one failure fails every record.
                let isBroken = failures.values.contains([.referenceViolation])
                for name in all where failures[name] == nil || isBroken {
                    failures[name] = isBroken ? [.referenceViolation, .batchRequestFailed] : [.batchRequestFailed]
                }
                return failures
            }
        }
    }

    private mutating func draft(
        _ client: ModelClientRecord, over server: ModelRecord?, _ request: ModelRequest
    ) -> Result<ModelRecord, CabinetError> {
        func failure(_ code: CabinetError.Code) -> Result<ModelRecord, CabinetError> {
            .failure(CabinetError(code, ""))
        }
        let checksTags = request.policy == .ifServerRecordUnchanged
        guard let server else {
            if client.version != nil, request.policy != .allKeys { return failure(.unknownItem) }
            return .success(client.new(by: request.user, version: nextVersion()))
        }
        if checksTags, client.version == nil { return failure(.serverRecordChanged) }
        if isPublic, server.creator != request.user { return failure(.permissionFailure) }
        if checksTags, client.version != server.version { return failure(.serverRecordChanged) }
        if client.type != server.type { return failure(.invalidArguments) }
        return .success(client.merged(into: server, request.policy, by: request.user, version: nextVersion()))
    }

    /// The records to delete, and the records that they own.
    private static func cascade(from roots: Set<String>, in stored: [String: ModelRecord]) -> Set<String> {
        var doomed = roots
        while true {
            let more = stored.filter { !doomed.contains($0.key) && $0.value.refers(to: doomed, .deleteSelf) }
            if more.isEmpty { return doomed }
            doomed.formUnion(more.keys)
        }
    }

    /// The deletions that records deny, by `deny` or as children.
    ///
    /// In the public database, only the user's own records can deny.
    private static func violations(
        deleting roots: Set<String>, doomed: Set<String>, in stored: [String: ModelRecord],
        by binding: [String: ModelRecord]
    ) -> Set<String> {
        let staying = binding.filter { !doomed.contains($0.key) }.values
        return roots.filter { root in
            let deleted = cascade(from: [root], in: stored)
            return stored[root] != nil && staying.contains { $0.refers(to: deleted, .deny) }
        }
    }

    private mutating func apply(
        _ drafts: [String: ModelRecord], deleting doomed: Set<String>, in zoneName: String, _ request: ModelRequest
    ) {
        guard var zone = zones[zoneName] else { return }
        for name in doomed {
            zone.records[name] = nil
            zone.deletions.append(request.now)
        }
        for (name, record) in zone.records where drafts[name] == nil && record.losesReference(to: doomed) {
            zone.records[name]?.nullify(doomed)
            zone.records[name]?.modifier = request.user
            zone.records[name]?.version = nextVersion()
        }
        zone.records.merge(drafts) { $1 }
        zones[zoneName] = zone
    }
}

extension ModelDatabase {
    mutating func saveZone(_ name: String, by user: String) {
        if zones[name] == nil { zones[name] = Zone(creator: user, birth: nextVersion()) }
    }

    /// - Returns: The code of the error, or `nil` if the save succeeds.
    mutating func deleteZone(_ name: String, by user: String) -> CabinetError.Code? {
        guard let zone = zones[name] else { return .zoneNotFound }
        if isPublic, zone.creator != user { return .permissionFailure }
        zones[name] = nil
        return nil
    }
}
