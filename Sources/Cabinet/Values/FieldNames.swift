import Synchronization

/// An immutable list of field names with their positions, shared by the records that have the same fields.
///
/// A record keeps its values in an array, and one such list tells which position is which field. A backend makes one
/// list for each kind of row that it decodes. A program that builds records field by field gets shared lists too: every
/// list remembers the lists that follow from it by one more name.
public final class FieldNames: Sendable {
    /// The names, in the order of their positions.
    public let names: [String]

    /// Positions by name; empty when there are so few names that looking through them is faster.
    private let positions: [Name: Int]

    /// Whether all names were found to be what fields may be called.
    private let areFoundValid = Atomic<Bool>(false)

    private let successors = Mutex<[Name: FieldNames]>([:])

    /// A name as a key of a dictionary: compared by scalars, unlike a `String`.
    private struct Name: Hashable {
        let text: String

        static func == (left: Self, right: Self) -> Bool { left.text.hasSameScalars(as: right.text) }

        func hash(into hasher: inout Hasher) { text.hashScalars(into: &hasher) }
    }

    private static let linearSearchLimit = 8
    /// A program with more ways than this to extend one list makes up its field names, and gains nothing from sharing.
    private static let successorLimit = 64
    /// All record types of a program begin at the empty list.
    private static let beginningLimit = 4096
    private static let sharedLengthLimit = 256

    /// The list without a name.
    public static let empty = FieldNames([])

    /// Creates a list of names, without repetitions.
    ///
    /// - Parameter names: Field names; of a name that is repeated, the first position counts.
    /// - Complexity: O(*n*)
    public init(_ names: [String]) {
        self.names = names
        positions =
            names.count <= Self.linearSearchLimit
            ? [:] : Dictionary(names.enumerated().map { (Name(text: $1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The number of names.
    public var count: Int { names.count }

    /// The position of a name.
    ///
    /// - Complexity: O(1)
    public func position(of name: String) -> Int? {
        if names.count <= Self.linearSearchLimit {
            return name.withScalars { scalars in names.firstIndex { $0.hasScalars(scalars) } }
        }
        return positions[Name(text: name)]
    }

    /// Whether all names are what fields may be called; found out once.
    var areValid: Bool {
        if areFoundValid.load(ordering: .relaxed) { return true }
        let areValid = names.allSatisfy { NameRule.fieldKey.allows($0) && !NameRule.reservedFieldKeys.contains($0) }
        if areValid { areFoundValid.store(true, ordering: .relaxed) }
        return areValid
    }

    /// The list of the names that records with the same fields share already, or one that is not shared.
    ///
    /// Names that come from outside must not make the lists grow that the program keeps.
    static func known(_ names: [String]) -> FieldNames {
        var list = FieldNames.empty
        for name in names {
            guard let next = list.successors.withLock({ $0[Name(text: name)] }) else { return FieldNames(names) }
            list = next
        }
        return list
    }

    /// This list with one more name at its end.
    func appending(_ name: String) -> FieldNames {
        guard names.count < Self.sharedLengthLimit else { return FieldNames(names + [name]) }
        return successors.withLock { successors in
            if let successor = successors[Name(text: name)] { return successor }
            let successor = FieldNames(names + [name])
            if successors.count < (names.isEmpty ? Self.beginningLimit : Self.successorLimit) {
                successors[Name(text: name)] = successor
            }
            return successor
        }
    }
}
