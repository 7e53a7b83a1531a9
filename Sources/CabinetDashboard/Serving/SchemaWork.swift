import Cabinet
import CabinetServer
import Foundation
import Synchronization

/// Changes of schemas that take longer than a page, such as building indexes of many records.
///
/// They go on after the page was answered, and the pages of the schema show them.
final class SchemaWork: Sendable {
    /// A change that runs, or has ended.
    struct Item: Sendable {
        let id: Int
        let place: Place
        /// The changes, as sentences.
        let changes: [String]
        let start: Date
        /// The time that it took; `nil` while it runs.
        var duration: Duration?
        /// The reason for which it failed.
        var failure: String?
    }

    private struct State {
        var last = 0
        /// The newest first.
        var items: [Item] = []
    }

    private let state = Mutex(State())

    /// The number of changes that are remembered.
    private static let maximumCount = 64
    /// The number of changes of a database that are shown.
    private static let shownCount = 5

    /// Carries out a change, and waits for it for some time.
    ///
    /// - Parameters:
    ///   - changes: The changes, as sentences.
    ///   - place: The database.
    ///   - waitLimit: The time to wait.
    ///   - work: The change.
    /// - Throws: The error of a change that fails in this time. ``CabinetError/Code/zoneBusy`` if another one runs.
    func run(
        _ changes: [String], at place: Place, waitLimit: Duration, _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let id = try begin(changes, place)
        let start = ContinuousClock.now
        let (results, continuation) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        // The change belongs to no page, since a page that is left would cancel it.
        Task.detached { [self] in
            let result: Result<Void, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            end(id, start.duration(to: .now), result)
            continuation.yield(result)
            continuation.finish()
        }
        let timer = Task {
            try await Task.sleep(for: waitLimit)
            continuation.finish()
        }
        defer { timer.cancel() }
        for await result in results {
            forget(id)
            return try result.get()
        }
    }

    private func begin(_ changes: [String], _ place: Place) throws(CabinetError) -> Int {
        let id = state.withLock { state -> Int? in
            if state.items.contains(where: { $0.place == place && $0.duration == nil }) { return nil }
            state.last += 1
            state.items.insert(Item(id: state.last, place: place, changes: changes, start: Date()), at: 0)
            if state.items.count > Self.maximumCount { state.items.removeLast() }
            return state.last
        }
        if let id { return id }
        throw CabinetError(.zoneBusy, "Another change of this schema is under way. Wait until it has ended.")
    }

    private func end(_ id: Int, _ duration: Duration, _ result: Result<Void, any Error>) {
        state.withLock { state in
            guard let index = state.items.firstIndex(where: { $0.id == id }) else { return }
            state.items[index].duration = duration
            if case .failure(let error) = result {
                state.items[index].failure = (error as? CabinetError)?.message ?? "It failed."
            }
        }
    }

    /// Forgets a change whose page has shown its end.
    private func forget(_ id: Int) {
        state.withLock { $0.items.removeAll { $0.id == id } }
    }

    /// Returns the latest changes of a database that took longer than a page, the newest first.
    func items(at place: Place) -> [Item] {
        state.withLock { Array($0.items.filter { $0.place == place }.prefix(Self.shownCount)) }
    }
}

extension SchemaWork {
    /// The changes that run, and the last ones, as a part of a page.
    func html(at place: Place) -> HTML {
        let items = items(at: place)
        if items.isEmpty { return .empty }
        let rows = items.map { item -> HTML in
            let changes = item.changes.prefix(10).map { text -> HTML in "<li>\(text.shown(200))</li>" }
            return
                "<tr><td><ul class=\"plain\">\(changes)</ul></td><td>\(item.start.html)\(HTML.utc)</td><td>\(Self.state(item))</td></tr>"
        }
        return """
            <h2>Indexes and fields under way</h2>
            \(.table(["Change", "Begun", "State"], caption: "Changes of the schema", rows))
            """
    }

    private static func state(_ item: Item) -> HTML {
        guard let duration = item.duration else {
            return "<progress aria-label=\"Under way\"></progress> Saves wait until it has ended."
        }
        let seconds = String(format: "%.1f", duration / .seconds(1))
        if let failure = item.failure {
            return "<span class=\"loss\">failed after \(seconds) s: \(failure.shown(300))</span>"
        }
        return "done in \(seconds) s"
    }
}
