import Cabinet
import Foundation
import Synchronization

/// The open files of a container, up to a limit.
///
/// The limit saves memory and file descriptors. To open another file, an idle one is closed. If all are in use, the
/// caller waits.
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

    /// Opens the file of a database, and keeps it open until it is released.
    func acquire(_ database: DatabaseKey) async throws -> DatabaseFile {
        let open = try state.withLock { state in
            guard !state.isClosed else {
                throw CabinetError(
                    .serviceUnavailable, "The store in \(directory.path) is closed. Open it again with a new backend.")
            }
            return state.join(database)
        }
        if let open { return open }
        if let scheme = directory.scheme, scheme != "file" {
            // The URL itself may have a password.
            throw CabinetError(
                .badContainer,
                "The store's directory is a URL with the scheme '\(scheme)'. A store is a folder: URL(filePath: \"/var/lib/notes\")."
            )
        }
        let new = DatabaseFile(
            path: try StoreFile.path(of: database, in: assets.parent), configuration: configuration,
            assets: try assets.folder(of: database))
        let waiter = Promise<DatabaseFile>()
        change { $0.requests.append(Request(database: database, file: new, waiter: waiter)) }
        return try await withTaskCancellationHandler {
            try await waiter.value()
        } onCancel: {
            change { $0.cancel(waiter) }
        }
    }

    /// Releases the file of a database.
    func release(_ database: DatabaseKey) {
        change { $0.leave(database) }
    }

    /// Closes each file as soon as it is idle, and waits until all are closed.
    func close() async {
        let closer = Promise<Void>()
        change { state in
            state.isClosed = true
            state.closers.append(closer)
        }
        // A closer never fails.
        try? await closer.value()
    }

    /// The number of open files.
    var count: Int { state.withLock(\.entries.count) }

    /// The number of callers that wait to open a file.
    var waitingCount: Int { state.withLock(\.requests.count) }

    /// Returns the file of a database if it is open.
    func openFile(_ database: DatabaseKey) -> DatabaseFile? {
        state.withLock { $0.entries[database]?.file }
    }

    private func change(_ body: (inout State) -> Void) {
        let effects = state.withLock { state in
            body(&state)
            return state.grantRequests()
        }
        for (waiter, result) in effects.answers { waiter.resolve(result) }
        for file in effects.superfluous {
            Task.detached {
                await file.close()
                self.change { $0.closing -= 1 }
            }
        }
        for closer in effects.closers { closer.resolve(.success(())) }
    }
}

// MARK: - State

extension FileRegistry {
    private typealias Waiter = Promise<DatabaseFile>

    private struct Entry {
        let file: DatabaseFile
        var users = 0
        var lastUse: UInt64 = 0
        /// Whether the file accepts no new users, because another file waits to be opened.
        var isLeaving = false
    }

    /// A caller that waits to open a file.
    private struct Request {
        let database: DatabaseKey
        /// The file to open.
        let file: DatabaseFile
        let waiter: Waiter
    }

    /// The effects of a state change, which are carried out after the lock is released.
    private struct Effects {
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
        /// The waiting callers, in the order of their arrival.
        var requests: [Request] = []
        /// The promises to resolve when all files are closed.
        var closers: [Promise<Void>] = []
        private var effects = Effects()

        init(limit: Int) {
            self.limit = limit
        }

        /// The limit of files that are being closed, because they are still open.
        private var closingLimit: Int { max(limit / 4, 1) }

        /// Returns the file of a database if it is open and accepts new users.
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

        /// Cancels a request, unless it was granted.
        mutating func cancel(_ waiter: Waiter) {
            guard let index = requests.firstIndex(where: { $0.waiter === waiter }) else { return }
            requests.remove(at: index)
            effects.answers.append((waiter, .failure(Self.cancellation)))
        }

        /// Grants requests in their order while files can be opened.
        mutating func grantRequests() -> Effects {
            while let request = requests.first {
                // The first request may always use an open file, because no other request waits before it.
                entries[request.database]?.isLeaving = false
                if join(request.database) == nil {
                    guard makeRoom() else { break }
                    entries[request.database] = Entry(file: request.file)
                    continue
                }
                requests.removeFirst()
                entries[request.database].map { effects.answers.append((request.waiter, .success($0.file))) }
            }
            if isClosed, requests.isEmpty {
                while removeIdle() {}
                if entries.isEmpty, closing == 0 { swap(&effects.closers, &closers) }
            }
            defer { effects = Effects() }
            return effects
        }

        private mutating func makeRoom() -> Bool {
            if entries.count < limit { return true }
            if closing < closingLimit, removeIdle() { return true }
            // A database that is never idle must not stay open forever.
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
            effects.superfluous.append(oldest.value.file)
            return true
        }

        private static var cancellation: CabinetError {
            CabinetError(.operationCancelled, "The task was cancelled before its work began. Nothing has changed.")
        }
    }
}
