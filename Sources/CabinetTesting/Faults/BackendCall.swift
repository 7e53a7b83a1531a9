public import Cabinet

/// A recorded call of a ``FaultInjectingBackend``.
public struct BackendCall: Sendable, Hashable {
    /// The kind of a call.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A snapshot: a fetch, one page of a query or of changes, a count.
        case read
        /// A transaction: a batch of saves and deletions, zones, subscriptions, a schema.
        case write
        /// One step of an asset's upload: its beginning, a chunk of bytes, its end.
        case upload
    }

    /// The outcome of a call.
    public enum Outcome: Sendable, Hashable {
        /// It returned.
        case returned
        /// It threw an error with this code; `nil` if the error is not a ``/Cabinet/CabinetError``.
        case threw(CabinetError.Code?)
    }

    /// The call's number, counted from 1 for each backend.
    public let number: Int

    /// The kind of the call.
    public let kind: Kind

    /// The requested database.
    public let database: DatabaseKey

    /// The injected faults, in the order in which they happen.
    public let faults: [InjectedFault]

    /// The outcome of the call; `nil` while it runs.
    public internal(set) var outcome: Outcome?
}

extension BackendCall: CustomStringConvertible {
    /// A description of the call: `3. write in the public database: threw zoneBusy [zoneBusy, retry after 2.0
    /// seconds]`.
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
