import Cabinet
import TerminalProgram

/// The records of a query, which follow the changes of other terminals and users.
@MainActor
final class LiveRecords<Fields: NamedFields> {
    /// The records of all databases.
    private(set) var records: [Typed<Fields>] = []

    /// The records of each database that have arrived.
    private var parts: [Int: [Typed<Fields>]] = [:]

    /// The reason that the records may be out of date.
    private(set) var failure: ShoppingError?

    /// Whether the records have arrived.
    private(set) var isLoaded = false

    private let query: Query
    private let databases: @Sendable () async throws -> [Database]
    private let sentence: Sentence
    private let store: ShoppingStore
    private let screen: FullScreen
    private var watchers: [Task<Void, Never>] = []

    /// Starts to watch a query.
    ///
    /// - Parameters:
    ///   - query: The query.
    ///   - databases: The databases and zones with the records.
    ///   - sentence: The sentence to show if that fails.
    ///   - store: The store.
    ///   - screen: The screen.
    init(
        _ query: Query, in databases: @escaping @Sendable () async throws -> [Database], sentence: Sentence,
        store: ShoppingStore, screen: FullScreen
    ) {
        self.query = query
        self.databases = databases
        self.sentence = sentence
        self.store = store
        self.screen = screen
        restart()
    }

    deinit { for watcher in watchers { watcher.cancel() } }

    /// The current state of a record; `nil` if it was deleted.
    subscript(id: Typed<Fields>.ID) -> Typed<Fields>? { records.first { $0.id == id } }

    /// Whether a record was deleted while it was on the screen.
    func isDeleted(_ id: Typed<Fields>.ID) -> Bool { isLoaded && failure == nil && self[id] == nil }

    /// Runs the query again.
    func restart() {
        for watcher in watchers { watcher.cancel() }
        (failure, parts) = (nil, [:])
        watchers = [
            Task { [databases, weak self] in
                do {
                    let databases = try await databases()
                    if !Task.isCancelled { self?.watch(databases) }
                } catch {
                    self?.fail(error)
                }
            }
        ]
    }

    private func watch(_ databases: [Database]) {
        watchers += databases.enumerated().map { number, database in
            Task { [query, store, weak self] in
                do {
                    try await store.watch(query, in: database) { self?.show($0, of: number, of: databases.count) }
                } catch let error as CabinetError where error.code == .zoneNotFound {
                    // The list is no longer shared with this user.
                    self?.show([], of: number, of: databases.count)
                } catch {
                    self?.fail(error)
                }
            }
        }
    }

    private func show(_ new: [Typed<Fields>], of number: Int, of count: Int) {
        parts[number] = new
        guard parts.count == count else { return }
        records = parts.sorted { $0.key < $1.key }.flatMap(\.value)
        if count > 1 { records.sortByName() }
        isLoaded = true
        screen.reportChange()
    }

    private func fail(_ error: any Error) {
        if Task.isCancelled { return }
        failure = ShoppingError(sentence: sentence, reason: error)
        screen.reportChange()
    }
}
