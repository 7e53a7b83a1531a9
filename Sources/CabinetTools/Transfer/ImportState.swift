import Cabinet
import Foundation

/// The position and the deferred lines of an import, as entries of a store.
///
/// The database itself sets them in the transaction of each batch. A server stores no entries for its clients; for an import into one, a
/// store on this side has them. There, the entries of a batch are stored with the ID of its request before the batch is sent, and set
/// after the response. If that is lost, the next import asks the server by the ID whether it has saved the batch.
struct ImportState: Sendable {
    let database: Database
    let backend: any StorageBackend
    let key: DatabaseKey
    /// The name of the entries: the user or, on this side, the database and its server.
    let owner: String
    /// Whether the entries are on this side.
    let isLocal: Bool

    /// The entries that follow from a batch.
    struct Step: Sendable, Hashable, Codable {
        var position: ImportPosition
        /// Lines to import once more, and those not to; by the texts of their keys.
        var deferred: [String: String?] = [:]
    }

    /// A batch that was sent, and whose response has not arrived.
    struct PendingBatch: Sendable, Hashable, Codable {
        var requestID = UUID()
        var date = Date()
        var step: Step
    }

    /// The number of seconds for which a server remembers a request at least, less some for the way there.
    private static let memory: TimeInterval = 570

    private var pendingKey: StorageKey { StorageKey("import", "pending", owner) }

    /// Saves and deletes the records of a batch in one transaction.
    ///
    /// - Parameter step: The entries to set if no record fails.
    /// - Returns: The position with what the server has added, and the errors of the records that made the batch fail.
    func save(
        _ batch: ImportBatch, then step: Step
    ) async throws -> (position: ImportPosition, failures: [RecordID: CabinetError]) {
        let items = batch.items
        let (saved, deleted) = (items.compactMap(\.record), items.filter { $0.record == nil }.map(\.id))
        if !isLocal {
            let results = try await database.itemResults(
                saving: saved, deleting: deleted, savePolicy: .allKeys, entries: try entries(of: step))
            return (step.position, Self.causes(results.saveResults, results.deleteResults))
        }
        let pending = PendingBatch(step: step)
        try await set([pendingKey: try Self.text(pending)])
        let results = try await database.itemResults(
            saving: saved, deleting: deleted, savePolicy: .allKeys, requestID: pending.requestID)
        let failures = Self.causes(results.saveResults, results.deleteResults)
        if !failures.isEmpty { return (step.position, failures) }
        return (try await finish(step, results.changeToken), [:])
    }

    /// Sets the entries of a batch that a server has saved.
    private func finish(_ step: Step, _ token: ServerChangeToken?) async throws -> ImportPosition {
        var step = step
        step.position.changeToken = token ?? step.position.changeToken
        var entries = try entries(of: step)
        entries[pendingKey] = .some(nil)
        try await set(entries)
        return step.position
    }

    /// Deletes records in a transaction of their own, and returns the errors.
    func delete(_ ids: [RecordID]) async throws -> [RecordID: CabinetError] {
        if ids.isEmpty { return [:] }
        let results = try await database.itemResults(saving: [], deleting: ids)
        return Self.causes(results.saveResults, results.deleteResults)
    }

    /// Finds out whether the server has saved the last batch of an interrupted import.
    ///
    /// - Returns: Whether that cannot be known any more.
    func settle() async throws -> Bool {
        guard isLocal, let text = try await text(of: pendingKey),
            let pending = try? JSONDecoder().decode(PendingBatch.self, from: Data(text.utf8))
        else { return false }
        if let token = try await database.changeToken(afterRequest: pending.requestID) {
            _ = try await finish(pending.step, token)
            return false
        }
        let age = Date().timeIntervalSince(pending.date)
        return !(0..<Self.memory).contains(age)
    }

    /// Returns the position; `nil` if no import is unfinished.
    func position() async throws -> ImportPosition? {
        guard let text = try await text(of: ImportPosition.key(of: owner)) else { return nil }
        let position = try? JSONDecoder().decode(ImportPosition.self, from: Data(text.utf8))
        if let position, position.line <= position.offset { return position }
        // A position of another version is of no use, nor are its deferred lines, and the import begins again. So it does after a damaged one.
        try await removeAll()
        return nil
    }

    /// Whether the database still has what was saved up to a position.
    ///
    /// Entries of the database itself are restored with it.
    func isCurrent(_ position: ImportPosition) async throws -> Bool {
        guard isLocal, let token = position.changeToken else { return true }
        do {
            _ = try await database.databaseChanges(since: token, resultsLimit: 1)
            return true
        } catch let error as CabinetError where [.changeTokenExpired, .invalidArguments].contains(error.code) {
            return false
        }
    }

    /// Returns the first deferred lines of a range.
    func deferredLines(in range: Range<StorageKey>, limit: Int) async throws -> [StorageEntry] {
        try await backend.read(key) { try await $0.entries(in: range, limit: limit) }
    }

    /// Removes all entries.
    func removeAll() async throws {
        while true {
            let lines = try await deferredLines(in: ImportPosition.deferredKeys(of: owner), limit: 500)
            if lines.isEmpty { break }
            var entries: [StorageKey: String?] = [:]
            for line in lines { entries[line.key] = .some(nil) }
            try await set(entries)
        }
        var keys: [StorageKey: String?] = [ImportPosition.key(of: owner): nil]
        if isLocal { keys[pendingKey] = .some(nil) }
        try await set(keys)
    }

    /// Sets entries in a transaction of their own.
    private func set(_ entries: [StorageKey: String?]) async throws {
        if !isLocal {
            _ = try await database.itemResults(saving: [], deleting: [], entries: entries)
            return
        }
        let mutations = entries.map { StorageMutation.setEntry($0.key, $0.value) }
        try await backend.write(key) { try await $0.apply(mutations) }
    }

    private func text(of key: StorageKey) async throws -> String? {
        let texts = try await backend.read(self.key) { try await $0.load(StorageKeys(entries: [key])).entries }
        return texts.first ?? nil
    }

    private func entries(of step: Step) throws -> [StorageKey: String?] {
        var entries: [StorageKey: String?] = [:]
        for (key, line) in step.deferred { entries[StorageKey(key)] = .some(line) }
        entries[ImportPosition.key(of: owner)] = try Self.text(step.position)
        return entries
    }

    private static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    /// Returns the errors that made a batch fail, rather than those of the records that failed with them.
    private static func causes(
        _ saves: [RecordID: Result<Record, CabinetError>], _ deletions: [RecordID: Result<Void, CabinetError>]
    ) -> [RecordID: CabinetError] {
        let failures = saves.compactMapValues(\.failure)
            .merging(deletions.compactMapValues(\.failure)) { first, _ in first }
        let causes = failures.filter { $0.value.code != .batchRequestFailed }
        return causes.isEmpty ? failures : causes
    }
}

extension Result where Failure == CabinetError {
    fileprivate var failure: CabinetError? {
        if case .failure(let error) = self { error } else { nil }
    }
}
