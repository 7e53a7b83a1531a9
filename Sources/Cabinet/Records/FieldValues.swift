/// The values of a record's fields: an array, with a list of names that gives the position of each field.
public struct FieldValues: Sendable {
    /// The names of the positions.
    public private(set) var names: FieldNames

    /// The values by position; `nil` where the record has no value in that field.
    public private(set) var values: [FieldValue?]

    /// A Boolean value that indicates whether a field whose name is not in the list has no value.
    ///
    /// A record that was fetched with `desiredKeys` is incomplete: the values of the other fields are unknown.
    public private(set) var isComplete: Bool

    /// Fields without a value.
    public static let empty = FieldValues(names: .empty, values: [])

    /// Creates fields from names and values.
    ///
    /// - Parameters:
    ///   - names: The names of the positions.
    ///   - values: The values by position. Missing values at the end count as `nil`, and surplus values are dropped.
    ///   - isComplete: Whether a field whose name is not in the list has no value.
    public init(names: FieldNames, values: [FieldValue?], isComplete: Bool = true) {
        self.names = names
        self.values = values
        self.isComplete = isComplete
        if values.count < names.count {
            self.values.append(contentsOf: repeatElement(nil, count: names.count - values.count))
        } else if values.count > names.count {
            self.values.removeLast(values.count - names.count)
        }
    }

    /// The value of a field.
    ///
    /// - Complexity: O(1)
    public subscript(key: String) -> FieldValue? {
        get {
            guard let position = names.position(of: key) else { return nil }
            return values[position]
        }
        set {
            if let position = names.position(of: key) {
                values[position] = newValue
            } else if newValue != nil || !isComplete {
                names = names.appending(key)
                values.append(newValue)
            }
        }
    }

    /// The value of the field with a short name.
    subscript(name: ShortName) -> FieldValue? {
        names.position(of: name).flatMap { values[$0] }
    }

    /// Returns a Boolean value that indicates whether the field is known, with a value or without one.
    public func knows(_ key: String) -> Bool {
        isComplete || names.position(of: key) != nil
    }

    /// The names of the fields that have a value, in the order in which they were added.
    public var keys: [String] {
        zip(names.names, values).compactMap { $1 == nil ? nil : $0 }
    }

    /// Calls a closure with each field that has a value.
    public func forEach(_ body: (_ key: String, _ value: FieldValue) throws -> Void) rethrows {
        for (name, value) in zip(names.names, values) {
            if let value { try body(name, value) }
        }
    }

    /// Returns the fields with the given names.
    public func selecting(_ keys: [String]) -> FieldValues {
        FieldValues(names: FieldNames(keys), values: keys.map { self[$0] }, isComplete: false)
    }

    /// The fields that clients see.
    var visible: FieldValues {
        guard let visible = names.visible else { return self }
        return FieldValues(
            names: visible, values: names.visiblePositions.map { values[$0] }, isComplete: isComplete)
    }

    /// The names of the fields that differ from those of an earlier state.
    func keysChanged(since base: FieldValues) -> [String] {
        names.names.indices.filter { isChanged(at: $0, since: base) }.map { names.names[$0] }
    }

    /// Whether the field at a position differs from that of an earlier state.
    func isChanged(at position: Int, since base: FieldValues) -> Bool {
        if base.names === names { return !FieldValue.isSame(values[position], base.values[position]) }
        let name = names.names[position]
        return !FieldValue.isSame(values[position], base[name]) || !base.knows(name)
    }

    /// Adds the name of a field, without a value, if the list does not have it.
    mutating func addName(_ key: String) {
        guard names.position(of: key) == nil else { return }
        names = names.appending(key)
        values.append(nil)
    }

    /// Sets the value at a position.
    mutating func set(_ value: FieldValue?, at position: Int) {
        values[position] = value
    }
}

extension FieldValues: Hashable {
    /// Returns a Boolean value that indicates whether the same names have the same values, in any order.
    public static func == (left: Self, right: Self) -> Bool {
        if left.isComplete != right.isComplete { return false }
        if left.names === right.names { return left.values == right.values }
        let keys = left.keys
        return keys.count == right.keys.count && keys.allSatisfy { left[$0] == right[$0] }
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        var combined = 0
        forEach { key, value in
            var field = Hasher()
            field.combine(key)
            field.combine(value)
            combined ^= field.finalize()
        }
        hasher.combine(combined)
    }
}
