import Cabinet
import Foundation
import Synchronization

/// The files of a container that are open.
///
/// Too many are too much memory, and more than the system lets a process open: an idle one makes place for the next, and
/// while none is idle, who needs another one waits for a turn.
final class FileRegistry: Sendable {
    private let directory: URL
    private let configuration: SQLiteConfiguration
    private let assets: AssetStore
    private let state: Mutex<State>

    init(directory: URL, configuration: SQLiteConfiguration, assets: AssetStore) {
        self.directory = directory
        self.assets = assets
        self.configuration = configuration
        state = Mutex(State(limit: max(configuration.maximumOpenDatabases, 1)))
    }

    /// Takes the file of a database, which stays open until it is released.
    func acquire(_ database: DatabaseKey) async throws -> DatabaseFile {
        let open = try state.withLock { state in
            guard !state.isClosed else {
                throw CabinetError(
                    .serviceUnavailable, "The store in \(directory.path) is closed. Open it again with a new backend.")
            }
            return state.join(database)
        }
        if let open { return open }
        let new = DatabaseFile(
            path: directory.appendingPathComponent(try StoreFile.name(of: database)).path, configuration: configuration,
            assets: try assets.folder(of: database))
        let waiter = Promise<DatabaseFile>()
        change { $0.requests.append(Request(database: database, file: new, waiter: waiter)) }
        return try await withTaskCancellationHandler {
            try await waiter.value()
        } onCancel: {
            change { $0.cancel(waiter) }
        }
    }

    /// Gives back the file of a database.
    func release(_ database: DatabaseKey) {
        change { $0.leave(database) }
    }

    /// Closes all files, each when nobody uses it any more, and waits until that is done.
    func close() async {
        let closer = Promise<Void>()
        change { state in
            state.isClosed = true
            state.closers.append(closer)
        }
        // A closer never fails.
        try? await closer.value()
    }

    /// The number of files that are open.
    var count: Int { state.withLock(\.entries.count) }

    /// The number of those who wait until they may open another file.
    var waitingCount: Int { state.withLock(\.requests.count) }

    /// The file of a database, if it is open.
    func openFile(_ database: DatabaseKey) -> DatabaseFile? {
        state.withLock { $0.entries[database]?.file }
    }

    private func change(_ body: (inout State) -> Void) {
        let consequences = state.withLock { state in
            body(&state)
            return state.settle()
        }
        for (waiter, result) in consequences.answers { waiter.resolve(result) }
        for file in consequences.superfluous {
            Task.detached {
                await file.close()
                self.change { $0.closing -= 1 }
            }
        }
        for closer in consequences.closers { closer.resolve(.success(())) }
    }
}

// MARK: - Who has a place

extension FileRegistry {
    private typealias Waiter = Promise<DatabaseFile>

    private struct Entry {
        let file: DatabaseFile
        var users = 0
        var lastUse: UInt64 = 0
        /// Whether its users leave it one by one, because somebody waits for its place.
        var isLeaving = false
    }

    /// Someone who waits for a place.
    private struct Request {
        let database: DatabaseKey
        /// What takes the place.
        let file: DatabaseFile
        let waiter: Waiter
    }

    /// What is to be done once the state is no longer locked.
    private struct Consequences {
        var answers: [(Waiter, Result<DatabaseFile, any Error>)] = []
        var superfluous: [DatabaseFile] = []
        var closers: [Promise<Void>] = []
    }

    private struct State {
        let limit: Int
        var entries: [DatabaseKey: Entry] = [:]
        var uses: UInt64 = 0
        /// The number of files that are being closed.
        var closing = 0
        var isClosed = false
        /// Those who wait for a place, the first of them first.
        var requests: [Request] = []
        /// Those who wait until everything is closed.
        var closers: [Promise<Void>] = []
        private var consequences = Consequences()

        init(limit: Int) {
            self.limit = limit
        }

        /// Files that are being closed are open as well, so there must not be many of them either.
        private var closingLimit: Int { max(limit / 4, 1) }

        /// Takes the file of a database, if it is open and not promised to somebody else.
        mutating func join(_ database: DatabaseKey) -> DatabaseFile? {
            guard let index = entries.index(forKey: database), !entries.values[index].isLeaving || requests.isEmpty
            else { return nil }
            uses += 1
            entries.values[index].users += 1
            entries.values[index].lastUse = uses
            entries.values[index].isLeaving = false
            return entries.values[index].file
        }

        mutating func leave(_ database: DatabaseKey) {
            if let index = entries.index(forKey: database) { entries.values[index].users -= 1 }
        }

        /// Ends a wait, unless the file was granted already.
        mutating func cancel(_ waiter: Waiter) {
            guard let index = requests.firstIndex(where: { $0.waiter === waiter }) else { return }
            requests.remove(at: index)
            consequences.answers.append((waiter, .failure(Self.cancellation)))
        }

        /// Gives away the places that there are.
        mutating func settle() -> Consequences {
            while let request = requests.first {
                // The first in the queue may join whatever is open; nobody waits before it.
                entries[request.database]?.isLeaving = false
                if join(request.database) == nil {
                    guard makePlace() else { break }
                    entries[request.database] = Entry(file: request.file)
                    continue
                }
                requests.removeFirst()
                entries[request.database].map { consequences.answers.append((request.waiter, .success($0.file))) }
            }
            if isClosed, requests.isEmpty {
                while removeIdle() {}
                if entries.isEmpty, closing == 0 { swap(&consequences.closers, &closers) }
            }
            defer { consequences = Consequences() }
            return consequences
        }

        private mutating func makePlace() -> Bool {
            if entries.count < limit { return true }
            if closing < closingLimit, removeIdle() { return true }
            // A database that is never idle must not keep its place for ever.
            if !entries.values.contains(where: \.isLeaving),
                let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                entries[oldest.key]?.isLeaving = true
            }
            return false
        }

        private mutating func removeIdle() -> Bool {
            let idle = entries.lazy.filter { $0.value.users == 0 }
            guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return false }
            entries[oldest.key] = nil
            closing += 1
            consequences.superfluous.append(oldest.value.file)
            return true
        }

        private static var cancellation: CabinetError {
            CabinetError(.operationCancelled, "The task was cancelled before its work began. Nothing has changed.")
        }
    }
}
