import Testing

/// A broken backend, and the rules that must detect the fault.
struct Mutant: Sendable, CustomTestStringConvertible {
    /// A description of the fault.
    let name: String
    /// The fault that breaks it.
    let fault: Fault
    /// The names of rules that must fail on it; others may.
    let caughtBy: [String]

    var testDescription: String { name }

    init(_ name: String, caughtBy rules: [String], _ breaks: (inout Fault) -> Void) {
        self.name = name
        caughtBy = rules
        var fault = Fault()
        breaks(&fault)
        self.fault = fault
    }

    static let all: [Mutant] = [
        writing,
        values,
        reading,
        querying,
        computing,
        searching,
        aggregating,
        indexing,
        zoning,
        changing,
        signalling,
        notifying,
        keepingAssets,
        verifying,
        isolating,
        overlooking,
        loading,
        keepingEntries,
        applying,
        grouping,
        sharing,
    ].flatMap(\.self)

    /// All mutants, those first that most rules find: a search for any mutant that a rule finds ends soon.
    static let deadliestFirst = all.sorted { $0.caughtBy.count > $1.caughtBy.count }
}
