import Cabinet
import Foundation
import Synchronization

/// Removes the files of deleted assets, and files left by interrupted processes.
///
/// A file may be removed once the deletion is durable and no reader's snapshot contains the asset. Both hold as soon as
/// a checkpoint has moved the deletion from the write-ahead log into the database file. The collector does not force a
/// checkpoint; it polls.
final class AssetGarbageCollector: Sendable {
    /// The part of the log that a checkpoint must move before files can be removed.
    struct Mark: Sendable {
        /// The number of the last deleted asset.
        let last: Int64
        /// The size of the log at that time.
        let logSize: Int32
    }

    private struct State {
        /// The databases to sweep, each with the checkpoint that it waits for.
        var pending: [DatabaseKey: Mark?] = [:]
        var task: Task<Void, Never>?
        var isClosed = false
    }

    private let files: FileRegistry
    private let assets: AssetStore
    private let state = Mutex(State())

    /// The delay in which deletions are collected for one sweep.
    private static let shortestDelay = Duration.milliseconds(25)
    /// The longest delay between two polls for active readers.
    private static let longestDelay = Duration.seconds(5)
    /// The largest number of files that one transaction removes.
    ///
    /// A transaction blocks other writers.
    private static let batchLimit = 100

    init(files: FileRegistry, assets: AssetStore) {
        self.files = files
        self.assets = assets
    }

    /// Schedules a sweep of a database.
    func schedule(_ database: DatabaseKey) {
        state.withLock { state in
            if state.pending[database] == nil { state.pending[database] = .some(nil) }
            guard state.task == nil, !state.isClosed else { return }
            state.task = Task.detached(priority: .utility) { await self.run() }
        }
    }

    /// Sweeps the scheduled databases a last time, and stops.
    func close() async {
        let task = state.withLock { state in
            state.isClosed = true
            return state.task
        }
        task?.cancel()
        await task?.value
        for (database, mark) in state.withLock(\.pending) { _ = try? await sweep(database, since: mark) }
    }

    private func run() async {
        var delay = Self.shortestDelay
        while true {
            try? await Task.sleep(for: delay)
            let pending = state.withLock { state in
                defer { if !state.isClosed { state.pending = [:] } }
                if state.pending.isEmpty || state.isClosed { state.task = nil }
                return state.task == nil ? [:] : state.pending
            }
            if pending.isEmpty { return }
            var isWaiting = false
            for (database, mark) in pending {
                // Best effort: on failure, the next cleanup removes the files.
                guard let rest = try? await sweep(database, since: mark).rest else { continue }
                isWaiting = true
                state.withLock { $0.pending[database] = rest }
            }
            delay = isWaiting ? min(delay * 2, Self.longestDelay) : Self.shortestDelay
        }
    }
}

// MARK: - One database

extension AssetGarbageCollector {
    /// Removes a database's asset files that interrupted processes have left.
    ///
    /// - Returns: The number of removed files.
    func clean(_ database: DatabaseKey) async throws -> Int {
        var count = try await assets.run(on: assets.upkeepExecutor) { $0.removeAbandonedSessions() }
        let path = try StoreFile.path(of: database, in: assets.parent)
        if try await assets.run(on: assets.upkeepExecutor, { _ in try StoreFile.mayHaveDatabase(at: path) }) {
            var mark: Mark?
            for _ in 0..<10 {
                let step = try await sweep(database, since: mark)
                count += step.count
                mark = step.rest
                if mark == nil { break }
                try await Task.sleep(for: Self.shortestDelay)
            }
            if let mark { state.withLock { $0.pending[database] = mark } }
            if mark != nil { schedule(database) }
            count += try await removeUnknown(from: database)
        }
        return try await count + assets.run(on: assets.upkeepExecutor) { $0.cleanPool() }
    }

    /// Removes the files of deleted assets that no reader can need.
    ///
    /// - Parameter mark: The checkpoint that the last sweep waited for.
    /// - Returns: The number of removed files, and the checkpoint to wait for; `nil` if no files are left.
    private func sweep(_ database: DatabaseKey, since mark: Mark?) async throws -> (count: Int, rest: Mark?) {
        let file = try await files.acquire(database)
        defer { files.release(database) }
        guard let last = try await file.inspect({ try $0.lastAssetTombstone() }) ?? nil else { return (0, nil) }
        guard let log = try await file.checkpoint() else { return (0, mark ?? Mark(last: 0, logSize: .max)) }
        let end: Int64
        if log.moved == log.size {
            end = last
        } else if let mark, log.moved >= mark.logSize || log.size < mark.logSize {
            // A log shrinks only when it restarts, after a checkpoint has moved all of it.
            end = mark.last
        } else {
            return (0, mark ?? Mark(last: last, logSize: log.size))
        }
        var (count, processed) = (0, Int64.min)
        while let step = try await file.change({ [processed] in
            try $0.sweep(after: processed, upTo: end, limit: Self.batchLimit)
        }) {
            count += step.count
            processed = step.end
        }
        return (count, end == last ? nil : Mark(last: last, logSize: log.size))
    }

    /// Removes the files without an asset, and incomplete files.
    ///
    /// The folder is listed without a lock. Each candidate is checked again under the write lock.
    private func removeUnknown(from database: DatabaseKey) async throws -> Int {
        let folder = try assets.folder(of: database)
        let contents = try await assets.run(on: assets.upkeepExecutor) { _ in folder.contents() }
        let file = try await files.acquire(database)
        defer { files.release(database) }
        var count = 0
        for batch in contents.assets.parts(of: Self.batchLimit) {
            // `close()` does not wait until all files are removed.
            if state.withLock(\.isClosed) { return count }
            let unknown = try await file.inspect { try $0.unknownAssets(among: Array(batch)) } ?? []
            if unknown.isEmpty { continue }
            count += try await file.change { try $0.removeUnknownAssets(among: unknown) }
        }
        if !contents.unfinished.isEmpty {
            // The closure needs only the write lock, not the connection.
            count += try await file.change { _ in folder.removeUnfinished(contents.unfinished) }
        }
        return count
    }
}
