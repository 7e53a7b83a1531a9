import Cabinet
import Foundation
import Synchronization

/// Files that people have sent, and that wait for their next form: bounded in number, bytes and time.
final class Drafts<Value: Sendable>: Sendable {
    private struct Item {
        let id: String
        /// The database that the files were sent to.
        let place: Place
        let value: Value
        let size: Int64
        let end: ContinuousClock.Instant
    }

    private struct State {
        var items: [Item] = []
        /// The task that removes what is too old.
        var cleaning: Task<Void, Never>?
    }

    private let state = Mutex(State())
    private let life: Duration

    /// The number of drafts, and of their bytes, that are kept; the oldest are removed for a further one.
    private static var maximumCount: Int { 8 }
    private static var maximumSize: Int64 { 512 << 20 }

    /// Creates an empty store of drafts.
    ///
    /// - Parameter life: The time for which each is kept.
    init(life: Duration = .seconds(15 * 60)) {
        self.life = life
    }

    deinit {
        state.withLock(\.cleaning)?.cancel()
    }

    /// Keeps a draft, and returns its name, which nothing else guesses.
    func add(_ value: Value, of size: Int64, at place: Place) -> String {
        let item = Item(id: URLBase64.random(16), place: place, value: value, size: size, end: .now + life)
        state.withLock { state in
            state.items.append(item)
            while state.items.count > Self.maximumCount
                || state.items.count > 1 && state.items.reduce(0, { $0 + $1.size }) > Self.maximumSize
            {
                state.items.removeFirst()
            }
            if state.cleaning == nil { state.cleaning = clean() }
        }
        return item.id
    }

    /// Returns a draft of a database, which remains; `nil` for an unknown name.
    func value(_ id: String, at place: Place) -> Value? {
        state.withLock { state in
            state.items.removeAll { $0.end < .now }
            return state.items.first { $0.id == id && $0.place == place }?.value
        }
    }

    /// Returns a draft of a database, which is kept no longer; `nil` for an unknown name.
    func take(_ id: String, at place: Place) -> Value? {
        // Under one lock, so that of two requests with the same name only one gets the draft.
        state.withLock { state in
            state.items.removeAll { $0.end < .now }
            return state.items.firstIndex { $0.id == id && $0.place == place }.map { state.items.remove(at: $0).value }
        }
    }

    /// Starts the task that removes drafts at the end of their time, and ends with the last one.
    private func clean() -> Task<Void, Never> {
        Task.detached { [weak self, life] in
            while !Task.isCancelled {
                try? await Task.sleep(for: life)
                guard self?.removeOld() == true else { return }
            }
        }
    }

    /// Removes what is too old, and returns whether something is left.
    private func removeOld() -> Bool {
        state.withLock { state in
            state.items.removeAll { $0.end <= .now }
            if state.items.isEmpty { state.cleaning = nil }
            return !state.items.isEmpty
        }
    }
}
