public import Cabinet
public import Foundation

/// A fault, and the calls that it happens to.
///
/// Calls are counted for each injection by itself, from the moment of ``FaultInjectingBackend/inject(_:)``, and only those that
/// it is about.
public struct FaultInjection: Sendable, Hashable, Identifiable {
    /// What tells the injection from others.
    public let id: UUID

    /// What happens.
    public var fault: InjectedFault

    /// The kind of calls that it happens to, or `nil` for all.
    public var kind: BackendCall.Kind?

    /// The database whose calls it happens to, or `nil` for all.
    public var database: DatabaseKey?

    /// The number of the first call that it can happen to, counted from 1.
    public var first: Int

    /// How often it happens, or `nil` for ever.
    public var times: Int?

    /// How probable it is that it happens to a call: 1 for certain.
    public var probability: Double

    /// Creates an injection.
    ///
    /// - Parameters:
    ///   - fault: What happens.
    ///   - kind: The kind of calls that it happens to, or `nil` for all.
    ///   - database: The database whose calls it happens to, or `nil` for all.
    ///   - first: The number of the first call that it can happen to, counted from 1.
    ///   - times: How often it happens, or `nil` for ever.
    ///   - probability: How probable it is that it happens to a call.
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

/// An injection in force: how many calls it has seen, and how often it has happened.
struct InjectionState: Sendable {
    let injection: FaultInjection
    private var generator: SeededGenerator
    private var seen = 0
    private var happened = 0

    init(_ injection: FaultInjection, seed: UInt64) {
        self.injection = injection
        generator = SeededGenerator(seed: seed)
    }

    /// Whether it can never happen again.
    var isSpent: Bool { injection.times.map { happened >= $0 } ?? false }

    /// Whether the fault happens to a call, which is counted.
    mutating func happens(to kind: BackendCall.Kind, of database: DatabaseKey) -> Bool {
        if isSpent || injection.kind ?? kind != kind || injection.database ?? database != database { return false }
        seen += 1
        if seen < injection.first { return false }
        // A number for each call, so that it depends on nothing but the seed and the call's number.
        guard Double.random(in: 0..<1, using: &generator) < injection.probability else { return false }
        happened += 1
        return true
    }
}
