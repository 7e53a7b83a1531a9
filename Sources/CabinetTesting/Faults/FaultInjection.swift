public import Cabinet
public import Foundation

/// A fault, and the calls that it affects.
///
/// Each injection counts calls separately: only those of its kind and its database, from
/// ``FaultInjectingBackend/inject(_:)`` on.
public struct FaultInjection: Sendable, Hashable, Identifiable {
    /// The identifier of the injection.
    public let id: UUID

    /// The fault.
    public var fault: InjectedFault

    /// The kind of affected calls, or `nil` for all.
    public var kind: BackendCall.Kind?

    /// The database whose calls are affected, or `nil` for all.
    public var database: DatabaseKey?

    /// The number of the first affected call, counted from 1.
    public var first: Int

    /// The maximum number of affected calls, or `nil` for no maximum.
    public var times: Int?

    /// The probability that a call is affected; 1 affects every call.
    public var probability: Double

    /// Creates an injection.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - kind: The kind of calls to affect, or `nil` for all.
    ///   - database: The database whose calls to affect, or `nil` for all.
    ///   - first: The number of the first call to affect, counted from 1.
    ///   - times: The maximum number of affected calls, or `nil` for no maximum.
    ///   - probability: The probability that a call is affected.
    public init(
        _ fault: InjectedFault, on kind: BackendCall.Kind? = nil, of database: DatabaseKey? = nil, at first: Int = 1,
        times: Int? = 1, probability: Double = 1
    ) {
        id = UUID()
        self.fault = fault
        self.kind = kind
        self.database = database
        self.first = first
        self.times = times
        self.probability = probability
    }
}

/// An active injection, with the number of calls that it has counted and affected.
struct InjectionState: Sendable {
    let injection: FaultInjection
    private var generator: SeededGenerator
    private var seen = 0
    private var happened = 0

    init(_ injection: FaultInjection, seed: UInt64) {
        self.injection = injection
        generator = SeededGenerator(seed: seed)
    }

    /// Whether the injection can never happen again.
    var isSpent: Bool { injection.times.map { happened >= $0 } ?? false }

    /// Counts a call, and returns whether the fault happens to it.
    mutating func happens(to kind: BackendCall.Kind, of database: DatabaseKey) -> Bool {
        if isSpent || injection.kind ?? kind != kind || injection.database ?? database != database { return false }
        seen += 1
        if seen < injection.first { return false }
        // One random number per call, so that the result depends only on the seed and the call's number.
        guard Double.random(in: 0..<1, using: &generator) < injection.probability else { return false }
        happened += 1
        return true
    }
}
