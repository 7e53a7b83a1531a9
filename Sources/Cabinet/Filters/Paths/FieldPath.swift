/// The steps of a key path such as `list.owner.city`, `friends.@avg.age` or `address.@string.city`.
///
/// A plain name is a path of one step.
public struct FieldPath: Sendable, Hashable {
    /// One step of a path.
    public enum Step: Sendable, Hashable {
        /// A step to the value of a field or system field, of the record or of each record of a list.
        case name(Record.FieldKey)
        /// A step to one value of a list.
        ///
        /// The steps that follow lead from each element to the values to collect.
        case collection(Collection)
        /// A step from a text, or from each text of a list, to a value of its JSON.
        case json(JSON)
    }

    /// A value that is computed from a list.
    public enum Collection: String, Sendable, Hashable, CaseIterable {
        /// The number of elements, including those that are nil.
        case count = "@count"
        /// The sum of the elements that are not nil; 0 if there are none.
        case sum = "@sum"
        /// The mean of the elements that are not nil; nil if there are none.
        case average = "@avg"
        /// The least of the elements that are not nil; nil if there are none.
        case minimum = "@min"
        /// The greatest of the elements that are not nil; nil if there are none.
        case maximum = "@max"
    }

    /// The maximum number of steps of a path: 100.
    public static let maximumLength = Filter.maximumDepth

    /// The steps, which begin with a name.
    ///
    /// A step to a record's own ID is omitted before another step: `list.recordID.name` is `list.name`.
    public let steps: [Step]

    /// Whether the path has several steps, so that evaluation must read other records or the elements of a list.
    public var isLong: Bool { steps.count > 1 }

    /// The field, or system field, of the record itself that the path begins with.
    public let first: Record.FieldKey

    /// Reads a path.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the text is not a key path, with the reason.
    public init(_ text: Record.FieldKey) throws {
        guard Self.isLong(text) else {
            steps = [.name(text)]
            first = text
            return
        }
        // The number of other records is a sort key, and nothing else can be read by it.
        if Self.isSubquery(text) {
            throw Self.error(text, "it is a SUBQUERY, by which records are only filtered and sorted")
        }
        let steps = try Self.steps(text, mayBeginWithCollection: false)
        guard case .name(let name)? = steps.first else { throw Self.error(text, "it has no first name") }
        self.steps = steps
        first = name
    }

    /// The steps that lead on from a record, or from a list: `name`, `owner.city`, `@count`.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments``, saying what is wrong with the path.
    static func steps(of member: Record.FieldKey) throws(CabinetError) -> [Step] {
        try steps(member, mayBeginWithCollection: true)
    }

    /// Whether a text is a path of several steps, rather than the name of a field.
    static func isLong(_ text: Record.FieldKey) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "@") }
    }

    /// Whether the value of a key depends on other records than its own.
    static func leadsToOthers(_ key: Record.FieldKey) -> Bool {
        guard isLong(key) else { return false }
        guard let path = try? FieldPath(key) else { return true }
        return path.steps.count { if case .name = $0 { true } else { false } } > 1
    }

    /// Whether the value of a key depends on a user's own record, which lies in the default zone wherever the path begins.
    static func leadsToUser(_ key: Record.FieldKey) -> Bool {
        guard leadsToOthers(key) else { return false }
        guard let path = try? FieldPath(key) else { return true }
        return path.steps.dropLast().contains { step in
            guard case .name(let name) = step else { return false }
            return [.creatorUserRecordID, .lastModifiedUserRecordID].contains(SystemField(rawValue: name))
        }
    }

    /// Whether a text is the number of the records that refer to each record, and no key path.
    static func isSubquery(_ key: Record.FieldKey) -> Bool {
        key.utf8.count > 9 && key.prefix(9).uppercased() == "SUBQUERY("
    }

    private static func steps(_ text: String, mayBeginWithCollection: Bool) throws(CabinetError) -> [Step] {
        // By bytes: a dot and a combining mark after it are one character.
        let parts = text.utf8.split(
            separator: UInt8(ascii: "."), maxSplits: maximumLength, omittingEmptySubsequences: false
        ).map(Substring.init)
        if parts.count > maximumLength { throw error(text, "it has more than \(maximumLength) steps") }
        var steps: [Step] = []
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            if part.isEmpty { throw error(text, "a name is missing") }
            if case .json(var json)? = steps.last, part.utf8.first != UInt8(ascii: "@") {
                guard let name = JSON.name(of: part) else {
                    throw error(text, "in '\(part)', ~ is written ~0, a dot ~1, and an @ at the beginning ~2")
                }
                json.members.append(name)
                steps[steps.count - 1] = .json(json)
                continue
            }
            guard part.utf8.contains(UInt8(ascii: "@")) else {
                // `@sum.SELF` means the elements themselves.
                if part == "SELF", case .collection? = steps.last, isLast { continue }
                if part == SystemField.recordID.rawValue, !isLast, !parts[index + 1].hasPrefix("@") { continue }
                steps.append(.name(String(part)))
                continue
            }
            if steps.isEmpty, !mayBeginWithCollection { throw error(text, "nothing stands before \(part)") }
            if let json = JSON(operator: part) {
                steps.append(.json(json))
                continue
            }
            guard let collection = Collection(rawValue: String(part)) else {
                throw error(text, "'\(part)' is none of @count, @sum, @avg, @min, @max, \(JSON.spelledOperators)")
            }
            if collection == .count, !isLast { throw error(text, "nothing can follow @count") }
            steps.append(.collection(collection))
        }
        return steps
    }

    private static func error(_ text: String, _ message: String) -> CabinetError {
        let shown = text.utf8.count > 100 ? "\(text.prefix(100))…" : text
        return CabinetError(
            .invalidArguments,
            "'\(shown)' is not a key path: \(message). Expected names joined by dots, such as 'list.owner.name' or 'tags.@count'.",
            fieldKey: text)
    }
}

extension FieldPath.Collection {
    /// The aggregate that computes the value; `nil` for the number of elements.
    var aggregate: Aggregate? {
        switch self {
        case .count: nil
        case .sum: .sum
        case .average: .average
        case .minimum: .minimum
        case .maximum: .maximum
        }
    }
}
