extension Sequence where Element == String {
    /// Returns the element that a misspelled name most likely stands for, or `nil` if none is near enough.
    ///
    /// The comparison ignores case. A letter that was changed, added, omitted, or swapped with its neighbor is one
    /// mistake. A name may have one mistake for every three letters, and at most three. Among equally near elements,
    /// the first in the order of their scalars is returned.
    ///
    /// - Complexity: O(*n*) in the number of elements, each compared in time proportional to the product of the
    ///   lengths.
    package func nearest(to name: String) -> String? {
        let letters = Array(name.lowercased().unicodeScalars)
        if letters.isEmpty || letters.count > NameGrammar.maximumLength { return nil }
        var best: (mistakes: Int, name: String)?
        for candidate in self {
            let limit = best?.mistakes ?? Swift.min(letters.count / 3, 3)
            guard
                let mistakes = editDistance(
                    from: letters, to: Array(candidate.lowercased().unicodeScalars), limit: limit)
            else { continue }
            if let best, (best.mistakes, best.name) <= (mistakes, candidate) { continue }
            best = (mistakes, candidate)
        }
        return best?.name
    }
}

/// Returns the restricted Damerau-Levenshtein distance of two texts, or `nil` if it exceeds a limit.
private func editDistance(from old: [Unicode.Scalar], to new: [Unicode.Scalar], limit: Int) -> Int? {
    if (old.count - new.count).magnitude > limit { return nil }
    var beforeLast: [Int] = []
    var last = Array(0...new.count)
    for row in old.indices {
        var current = [row + 1]
        for column in new.indices {
            var distance = Swift.min(
                last[column + 1] + 1, current[column] + 1, last[column] + (old[row] == new[column] ? 0 : 1))
            if row > 0, column > 0, old[row] == new[column - 1], old[row - 1] == new[column] {
                distance = Swift.min(distance, beforeLast[column - 1] + 1)
            }
            current.append(distance)
        }
        // A later row continues from one of the last two.
        if Swift.min(current.min() ?? 0, last.min() ?? 0) > limit { return nil }
        (beforeLast, last) = (last, current)
    }
    return last[new.count] <= limit ? last[new.count] : nil
}
