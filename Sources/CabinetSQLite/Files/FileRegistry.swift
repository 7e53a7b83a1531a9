import Cabinet
import Foundation
import Synchronization

/// The files of a container that are open.
///
/// Too many are too much memory: those that are idle are closed again.
final class FileRegistry: Sendable {
    private struct Entry {
        let file: DatabaseFile
        var users = 0
        var lastUse: UInt64 = 0
    }

    private struct State {
        var entries: [DatabaseKey: Entry] = [:]
        var uses: UInt64 = 0
        /// The number of files that are being closed.
        var closing = 0
        var isClosed = false
        /// Those who wait until everything is closed.
        var waiters: [CheckedContinuation<Void, Never>] = []

        var isFinished: Bool { isClosed && entries.isEmpty && closing == 0 }
    }

    private let directory: URL
    private let configuration: SQLiteConfiguration
    private let state = Mutex(State())

    init(directory: URL, configuration: SQLiteConfiguration) {
        self.directory = directory
        self.configuration = configuration
    }

    /// Takes the file of a database, which stays open until it is released.
    func acquire(_ database: DatabaseKey) throws -> DatabaseFile {
        let file = try state.withLock { state in
            guard !state.isClosed else {
                throw CabinetError(
                    .serviceUnavailable, "The store in \(directory.path) is closed. Open it again with a new backend.")
            }
            state.uses += 1
            if let index = state.entries.index(forKey: database) {
                state.entries.values[index].users += 1
                state.entries.values[index].lastUse = state.uses
                return state.entries.values[index].file
            }
            let path = directory.appendingPathComponent(try StoreFile.name(of: database)).path
            let file = DatabaseFile(path: path, configuration: configuration)
            state.entries[database] = Entry(file: file, users: 1, lastUse: state.uses)
            return file
        }
        return file
    }

    /// Gives back the file of a database.
    func release(_ database: DatabaseKey) {
        let superfluous = state.withLock { state -> [DatabaseFile] in
            if let index = state.entries.index(forKey: database) { state.entries.values[index].users -= 1 }
            return Self.removeSuperfluous(from: &state, limit: max(configuration.maximumOpenDatabases, 1))
        }
        close(superfluous)
    }

    /// Closes all files, each when nobody uses it any more, and waits until that is done.
    func close() async {
        await withCheckedContinuation { continuation in
            let superfluous = state.withLock { state in
                state.isClosed = true
                state.waiters.append(continuation)
                return Self.removeSuperfluous(from: &state, limit: 0)
            }
            close(superfluous)
            resumeIfFinished()
        }
    }

    /// The number of files that are open.
    var count: Int { state.withLock(\.entries.count) }

    /// The file of a database, if it is open.
    func openFile(_ database: DatabaseKey) -> DatabaseFile? {
        state.withLock { $0.entries[database]?.file }
    }

    private static func removeSuperfluous(from state: inout State, limit: Int) -> [DatabaseFile] {
        let limit = state.isClosed ? 0 : limit
        var removed: [DatabaseFile] = []
        while state.entries.count > limit,
            let oldest = state.entries.filter({ $0.value.users == 0 }).min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            state.entries[oldest.key] = nil
            removed.append(oldest.value.file)
        }
        state.closing += removed.count
        return removed
    }

    private func close(_ files: [DatabaseFile]) {
        for file in files {
            Task.detached {
                await file.close()
                self.state.withLock { $0.closing -= 1 }
                self.resumeIfFinished()
            }
        }
    }

    private func resumeIfFinished() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.isFinished else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
