import Cabinet

extension ModelOperation {
    /// Returns slightly smaller variants of the operation, for a failure that needs only a part of it.
    var simpler: [ModelOperation] {
        switch self {
        case .batch(let client, let isPublic, let edits, let keys, let policy, let isAtomic):
            func batch(
                _ edits: [ModelEdit], _ keys: [ModelKey], _ policy: RecordSavePolicy = policy
            ) -> ModelOperation {
                .batch(client: client, isPublic: isPublic, edits, deleting: keys, policy, isAtomic: isAtomic)
            }
            var simpler: [ModelOperation] = []
            if edits.count + keys.count > 1 {
                simpler += edits.without().map { batch($0, keys) } + keys.without().map { batch(edits, $0) }
            }
            for (index, edit) in edits.enumerated() {
                for less in edit.simpler {
                    var edits = edits
                    edits[index] = less
                    simpler.append(batch(edits, keys))
                }
            }
            if policy != .ifServerRecordUnchanged { simpler.append(batch(edits, keys, .ifServerRecordUnchanged)) }
            return simpler
        case .resolve(let client, let isPublic, let edit, let resolver):
            return edit.simpler.map { .resolve(client: client, isPublic: isPublic, $0, resolver) }
        case .fetch(let client, let isPublic, let key, let keys):
            return keys == nil ? [] : [.fetch(client: client, isPublic: isPublic, key, keys: nil)]
        case .saveZone, .deleteZone, .sync, .restore, .backUp, .update, .wait: return []
        }
    }
}

extension ModelEdit {
    /// Variants with one change less.
    fileprivate var simpler: [ModelEdit] {
        var simpler: [ModelEdit] = []
        for key in changes.keys.sorted() {
            var copy = self
            copy.changes[key] = nil
            simpler.append(copy)
        }
        if parent != nil {
            var copy = self
            copy.parent = nil
            simpler.append(copy)
        }
        if let age {
            var copy = self
            copy.age = age > 0 ? 0 : nil
            simpler.append(copy)
        }
        return simpler
    }
}

extension Array {
    /// The array without its first element, without its second, and so on.
    fileprivate func without() -> [[Element]] {
        indices.map { index in
            var copy = self
            copy.remove(at: index)
            return copy
        }
    }
}

/// Simplifies the elements of a failing list as far as possible.
///
/// - Parameters:
///   - elements: A list that fails.
///   - tries: The maximum number of calls of `fails`.
///   - deadline: The instant at which to return the best result so far.
///   - simpler: Returns slightly simpler variants of an element.
///   - fails: Whether a list fails.
/// - Returns: A list that fails.
func simplified<Element>(
    _ elements: [Element], tries: Int = 300, until deadline: ContinuousClock.Instant? = nil,
    _ simpler: (Element) -> [Element], _ fails: ([Element]) async -> Bool
) async -> [Element] {
    var elements = elements
    var remaining = tries
    for index in elements.indices {
        var isSimpler = true
        while isSimpler {
            isSimpler = false
            for candidate in simpler(elements[index]) {
                remaining -= 1
                if remaining < 0 { return elements }
                if let deadline, ContinuousClock.now > deadline { return elements }
                var list = elements
                list[index] = candidate
                if await fails(list) {
                    elements = list
                    isSimpler = true
                    break
                }
            }
        }
    }
    return elements
}
