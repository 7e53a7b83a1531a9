extension FieldValues {
    /// Whether a field, or an element of a list in one, is a reference that satisfies a predicate.
    func containsReference(where predicate: (Reference) -> Bool) -> Bool {
        // In place: copying each value would cost more than reading it.
        values.withUnsafeBufferPointer { values in
            for position in values.indices {
                if case .reference(let reference)? = values[position] {
                    if predicate(reference) { return true }
                } else if case .list(.reference(let references))? = values[position] {
                    if references.contains(where: predicate) { return true }
                }
            }
            return false
        }
    }

    /// Calls a closure with every reference in a field or in a list.
    func forEachReference(_ body: (Reference) -> Void) {
        _ = containsReference {
            body($0)
            return false
        }
    }

    /// Calls a closure with every reference in the fields that differ from those of an earlier state.
    ///
    /// - Parameter base: The earlier state; `nil` for all fields.
    func forEachReference(since base: FieldValues?, _ body: (Reference) -> Void) {
        guard let base else { return forEachReference(body) }
        for position in values.indices {
            switch values[position] {
            case .reference(let reference):
                if isChanged(at: position, since: base) { body(reference) }
            case .list(.reference(let references)):
                if isChanged(at: position, since: base) { references.forEach(body) }
            default: break
            }
        }
    }

    /// Replaces every reference in a field or in a list.
    mutating func mapReferences(_ transform: (Reference) -> Reference) {
        for position in values.indices {
            if let mapped = values[position]?.mappingReferences(transform) { set(mapped, at: position) }
        }
    }
}

extension FieldValue {
    /// The value with other references; `nil` if it has none.
    func mappingReferences(_ transform: (Reference) -> Reference) -> FieldValue? {
        switch self {
        case .reference(let reference): .reference(transform(reference))
        case .list(.reference(let references)): .list(.reference(references.map(transform)))
        default: nil
        }
    }
}

extension FieldValue? {
    /// The references in a field, or in its list.
    package var references: [Reference] {
        switch self {
        case .reference(let reference): [reference]
        case .list(.reference(let references)): references
        default: []
        }
    }
}
