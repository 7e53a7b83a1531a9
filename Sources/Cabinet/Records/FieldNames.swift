import Synchronization

/// An immutable list of field names with their positions, shared by the records that have the same fields.
///
/// A record keeps its values in an array, and a list of names maps each name to its position in that array. A backend
/// creates one list for each kind of row that it decodes. Records that a program builds field by field share lists too:
/// each list remembers the lists that extend it by one name. These shared lists are a cache of the whole process,
/// bounded to about 8 MiB. At the limit the cache is emptied.
public final class FieldNames: Sendable {
    /// The names, in the order of their positions.
    public let names: [String]

    /// The short forms of the names, in the same order.
    private let shortNames: [ShortName?]

    /// Positions by name, or an empty dictionary for short lists, where a linear search is faster.
    private let shortPositions: [ShortName: Int]

    /// Positions of the names that have no short form.
    private let longPositions: [ScalarText: Int]

    /// The list without the names of hidden fields; `nil` if it has none.
    let visible: FieldNames?

    /// The positions of the names that are not hidden; none if ``visible`` is `nil`.
    let visiblePositions: [Int]

    /// Whether all names were found to be valid names of fields.
    private let areFoundValid = Atomic<Bool>(false)

    private let successors = Mutex<[ScalarText: FieldNames]>([:])

    /// The part of ``sharedMemory`` that this list accounts for, in bytes; 0 if the list is not shared.
    private let sharedCost: Int

    private static let linearSearchLimit = 16
    /// A program that extends one list in more ways than this invents its field names, and gains nothing from sharing.
    private static let successorLimit = 64
    /// Every record type of a program starts at the empty list.
    private static let beginningLimit = 4096
    private static let sharedLengthLimit = 256

    /// The memory that the shared lists may take, in bytes: enough for some hundred record types of 30 fields each.
    static let sharedMemoryLimit = 8 << 20
    private static let sharedMemory = Atomic<Int>(0)
    /// An estimate of the memory that the shared lists of the process take, in bytes.
    static var sharedMemoryInUse: Int { sharedMemory.load(ordering: .relaxed) }

    /// The list without names.
    public static let empty = FieldNames([])

    /// Creates a list of names, without repetitions.
    ///
    /// - Parameter names: Field names; of a name that is repeated, the first position counts.
    /// - Complexity: O(*n*)
    public convenience init(_ names: [String]) {
        self.init(names, sharedCost: 0)
    }

    private init(_ names: [String], sharedCost: Int) {
        self.names = names
        self.sharedCost = sharedCost
        let hasHidden = names.contains(where: Self.isHidden)
        visiblePositions = hasHidden ? names.indices.filter { !Self.isHidden(names[$0]) } : []
        visible = hasHidden ? FieldNames(visiblePositions.map { names[$0] }) : nil
        shortNames = names.map(ShortName.init)
        shortPositions =
            names.count <= Self.linearSearchLimit
            ? [:]
            : Dictionary(
                shortNames.enumerated().compactMap { position, name in name.map { ($0, position) } },
                uniquingKeysWith: { first, _ in first })
        longPositions = Dictionary(
            zip(names, shortNames).enumerated().compactMap { position, name in
                name.1 == nil ? (ScalarText(text: name.0), position) : nil
            }, uniquingKeysWith: { first, _ in first })
    }

    deinit {
        if sharedCost > 0 { Self.sharedMemory.wrappingSubtract(sharedCost, ordering: .relaxed) }
    }

    /// The number of names.
    public var count: Int { names.count }

    /// Returns the position of a name, or `nil` if the list does not have it.
    ///
    /// - Complexity: O(1)
    public func position(of name: String) -> Int? {
        guard let shortName = ShortName(name) else { return longPositions[ScalarText(text: name)] }
        return position(of: shortName)
    }

    /// Returns the position of a name, or `nil` if the list does not have it.
    func position(of name: ShortName) -> Int? {
        names.count <= Self.linearSearchLimit ? shortNames.firstIndex(of: name) : shortPositions[name]
    }

    /// Whether a field is one that the core derives from others, and that no client sees.
    ///
    /// The grammar of field names excludes such a name for the fields of programs.
    static func isHidden(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "_") }

    /// Whether all names are valid names of fields.
    ///
    /// The result is computed once.
    var areValid: Bool {
        if areFoundValid.load(ordering: .relaxed) { return true }
        let areValid = names.allSatisfy {
            NameGrammar.identifier.allows($0) && !NameGrammar.reservedFieldKeys.contains($0)
        }
        if areValid { areFoundValid.store(true, ordering: .relaxed) }
        return areValid
    }

    /// Returns the list that records with the same names already share, or one that is not shared.
    ///
    /// Names from outside the program must not grow the lists that the process keeps.
    package static func known(_ names: [String]) -> FieldNames {
        var list = FieldNames.empty
        for name in names {
            guard let next = list.successors.withLock({ $0[ScalarText(text: name)] }) else { return FieldNames(names) }
            list = next
        }
        return list
    }

    /// Returns this list with one more name at its end.
    func appending(_ name: String) -> FieldNames {
        let key = ScalarText(text: name)
        guard names.count < Self.sharedLengthLimit else { return FieldNames(names + [name]) }
        let limit = names.isEmpty ? Self.beginningLimit : Self.successorLimit
        let (known, isFull) = successors.withLock { ($0[key], $0.count >= limit) }
        if let known { return known }
        let cost = Self.cost(ofAppending: name, to: names)
        guard !isFull, Self.reserve(cost) else { return FieldNames(names + [name]) }
        let successor = FieldNames(names + [name], sharedCost: cost)
        return successors.withLock { successors in
            if let known = successors[key] { return known }
            if successors.count < limit { successors[key] = successor }
            return successor
        }
    }

    /// An estimate of the memory that a shared list takes, in bytes.
    private static func cost(ofAppending name: String, to names: [String]) -> Int {
        // The object with its lock, an entry in the dictionary of its predecessor, the text of the name, and for each
        // name two slots and an entry.
        256 + name.utf8.count + 128 * (names.count + 1)
    }

    /// Accounts for one more shared list.
    ///
    /// At the limit, the cache drops all lists. Lists that records still use are freed with the records.
    ///
    /// - Returns: Whether the list may be shared.
    private static func reserve(_ cost: Int) -> Bool {
        if sharedMemory.wrappingAdd(cost, ordering: .relaxed).newValue <= sharedMemoryLimit { return true }
        // They are freed here, after the lock is released.
        _ = empty.successors.withLock { successors in
            defer { successors = [:] }
            return successors
        }
        if sharedMemoryInUse <= sharedMemoryLimit { return true }
        // Lists that records use fill the limit by themselves.
        sharedMemory.wrappingSubtract(cost, ordering: .relaxed)
        return false
    }
}
