public import Cabinet

/// A call that a ``FaultInjectingBackend`` has seen.
public struct BackendCall: Sendable, Hashable {
    /// What a call is for.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A snapshot: a fetch, one page of a query or of changes, a count.
        case read
        /// A transaction: a batch of saves and deletions, zones, subscriptions, a schema.
        case write
        /// One step on the way of an asset's bytes into the store: its beginning, some of the bytes, its end.
        case upload
    }

    /// What became of a call.
    public enum Outcome: Sendable, Hashable {
        /// It returned.
        case returned
        /// It threw an error with this code; `nil` if the error was none of Cabinet's.
        case threw(CabinetError.Code?)
    }

    /// The call's number, counted from 1 for each backend.
    public let number: Int

    /// What the call is for.
    public let kind: Kind

    /// The database that was asked for.
    public let database: DatabaseKey

    /// The faults that were injected, in the order in which they happen.
    public let faults: [InjectedFault]

    /// What became of the call; `nil` as long as it is under way.
    public internal(set) var outcome: Outcome?
}

extension BackendCall: CustomStringConvertible {
    /// The call in words: `3. write in the public database: threw zoneBusy [zoneBusy, retry after 2.0 seconds]`.
    public var description: String {
        let ending =
            switch outcome {
            case nil: "under way"
            case .returned?: "returned"
            case .threw(let code)?: "threw \(code.map { "\($0)" } ?? "another error")"
            }
        let injected = faults.isEmpty ? "" : " [\(faults.map(\.description).joined(separator: "; "))]"
        return "\(number). \(kind.rawValue) in \(database): \(ending)\(injected)"
    }
}
