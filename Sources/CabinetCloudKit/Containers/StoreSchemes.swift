import Cabinet
import Synchronization

/// The kinds of stores that `CABINET_STORE` can name beside folders, by the scheme of the location.
final class StoreSchemes: Sendable {
    typealias Opener = @Sendable (_ location: String) throws -> any StorageBackend

    private struct State: Sendable {
        var openers: [String: Opener] = [:]
        var stores: [String: OpenOnce<any StorageBackend>] = [:]
    }

    static let shared = StoreSchemes()

    private let state = Mutex(State())

    /// Adds a kind of store.
    func register(_ schemes: Set<String>, _ open: @escaping Opener) {
        state.withLock { state in
            for scheme in schemes { state.openers[scheme.lowercased()] = open }
        }
    }

    /// Returns the store at a location, which all containers share, or `nil` if the program has not registered its scheme.
    func store(at location: String) throws -> (any StorageBackend)? {
        let scheme = location.prefix { $0 != ":" }.lowercased()
        let found = state.withLock { state -> (store: OpenOnce<any StorageBackend>, open: Opener)? in
            guard let open = state.openers[scheme] else { return nil }
            let store = state.stores[location] ?? OpenOnce()
            state.stores[location] = store
            return (store, open)
        }
        guard let (store, open) = found else { return nil }
        return try store.value { try open(location) }
    }
}
