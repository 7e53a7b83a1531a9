/// The positions of the fields that a filter or an order reads, computed once for each list of names.
struct FieldSlots: Sendable {
    /// The fields, each with its slot: its index here.
    let keys: [Record.FieldKey]

    /// The position of each slot's field in records of the current list of names, or -1 if the list lacks the name.
    private(set) var positions: [Int]

    private var names: FieldNames?
    /// The lists seen so far; the names are held so that no other list gets their identity.
    private var known: [ObjectIdentifier: (names: FieldNames, positions: [Int])] = [:]

    /// The maximum number of remembered lists.
    ///
    /// A store with more lists of names gains nothing from a cache.
    static let knownLimit = 64
    /// The number of lists that are remembered, for tests.
    var knownCount: Int { known.count }

    init(_ keys: [Record.FieldKey]) {
        self.keys = keys
        positions = keys.map { _ in -1 }
    }

    /// Sets ``positions`` to those of a list of names.
    @inline(__always)
    mutating func use(_ names: FieldNames) {
        // Nearly all records have the names of the previous one. A retain would then cost more than the comparison.
        if self.names !== names { change(to: names) }
    }

    @inline(never)
    private mutating func change(to names: FieldNames) {
        if keys.isEmpty { return }
        self.names = names
        if let found = known[ObjectIdentifier(names)] {
            positions = found.positions
            return
        }
        positions = keys.map { names.position(of: $0) ?? -1 }
        if known.count < Self.knownLimit { known[ObjectIdentifier(names)] = (names, positions) }
    }
}

extension StoredRecord {
    /// The value of the field in a slot.
    func value(in slot: Int, at positions: [Int]) -> FieldValue? {
        let position = positions[slot]
        return position < 0 ? nil : fieldValue(at: position)
    }
}
