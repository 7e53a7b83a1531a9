import Cabinet
import Foundation
import Synchronization

/// Gives back the files of assets that were removed, and what interrupted processes have left.
///
/// A file goes when the removal is durable and nobody reads a state any more in which the asset was there: both are so once
/// SQLite has moved the removal from the write-ahead log into the database file. Nothing waits for that; it is tried now and then.
final class AssetGarbageCollector: Sendable {
    /// What must have been moved out of the log before files may go.
    struct Mark: Sendable {
        /// The number of the last asset that was removed.
        let last: Int64
        /// How long the log was then.
        let logSize: Int32
    }

    private struct State {
        /// The databases to sweep, and what they wait for.
        var pending: [DatabaseKey: Mark?] = [:]
        var task: Task<Void, Never>?
        var isClosed = false
    }

    private let files: FileRegistry
    private let assets: AssetStore
    private let state = Mutex(State())

    /// Removals that come in this time are swept together.
    private static let shortestDelay = Duration.milliseconds(25)
    /// How long one waits at most before one looks again whether somebody still reads.
    private static let longestDelay = Duration.seconds(5)
    /// How many files are removed in one transaction, which keeps others from writing.
    private static let batchLimit = 100

    init(files: FileRegistry, assets: AssetStore) {
        self.files = files
        self.assets = assets
    }

    /// Sweeps a database soon.
    func schedule(_ database: DatabaseKey) {
        state.withLock { state in
            if state.pending[database] == nil { state.pending[database] = .some(nil) }
            guard state.task == nil, !state.isClosed else { return }
            state.task = Task.detached(priority: .utility) { await self.run() }
        }
    }

    /// Sweeps once more what is to be swept, and then no more.
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
                // What fails here is done by the next one who looks for what was left.
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
    /// Removes what interrupted processes have left of a database's assets.
    ///
    /// - Returns: How many files were removed.
    func clean(_ database: DatabaseKey) async throws -> Int {
        var count = try await assets.run(on: assets.upkeepExecutor) { $0.removeAbandonedSessions() }
        let path = URL(fileURLWithPath: assets.parent).appendingPathComponent(try StoreFile.name(of: database)).path
        if try await assets.run(on: assets.upkeepExecutor, { _ in StoreFile.mayExist(at: path) }) {
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

    /// Gives back the files of removed assets, as far as nobody can need them.
    ///
    /// - Parameter mark: What was waited for.
    /// - Returns: How many files were removed, and what must be waited for; `nil` if nothing is left.
    private func sweep(_ database: DatabaseKey, since mark: Mark?) async throws -> (count: Int, rest: Mark?) {
        let file = try await files.acquire(database)
        defer { files.release(database) }
        guard let last = try await file.inspect({ try $0.lastAbandonment() }) ?? nil else { return (0, nil) }
        guard let log = try await file.checkpoint() else { return (0, mark ?? Mark(last: 0, logSize: .max)) }
        let end: Int64
        if log.moved == log.size {
            end = last
        } else if let mark, log.moved >= mark.logSize || log.size < mark.logSize {
            // A log gets shorter only when it begins anew, after all of it was moved.
            end = mark.last
        } else {
            return (0, mark ?? Mark(last: last, logSize: log.size))
        }
        var count = 0
        while true {
            guard let step = try await file.change({ try $0.sweep(upTo: end, limit: Self.batchLimit) }) else { break }
            count += step
        }
        return (count, end == last ? nil : Mark(last: last, logSize: log.size))
    }

    /// Removes the files that no asset has, and those that were not completed.
    ///
    /// One looks through the folder while others write, and looks again under the lock at what seems to be nobody's.
    private func removeUnknown(from database: DatabaseKey) async throws -> Int {
        let folder = try assets.folder(of: database)
        let contents = try await assets.run(on: assets.upkeepExecutor) { _ in folder.contents() }
        let file = try await files.acquire(database)
        defer { files.release(database) }
        var count = 0
        for start in stride(from: 0, to: contents.assets.count, by: Self.batchLimit) {
            // Who closes the backend does not wait for all of it.
            if state.withLock(\.isClosed) { return count }
            let batch = Array(contents.assets[start...].prefix(Self.batchLimit))
            let unknown = try await file.inspect { try $0.unknownAssets(among: batch) } ?? []
            if unknown.isEmpty { continue }
            count += try await file.change { try $0.removeUnknownAssets(among: unknown) }
        }
        if !contents.unfinished.isEmpty {
            // The closure needs the lock that it runs under, and not the connection.
            count += try await file.change { _ in folder.removeUnfinished(contents.unfinished) }
        }
        return count
    }
}
