/// A pattern of LIKE.
struct WildcardPattern: Sendable {
    private enum Element: Equatable {
        case scalar(Unicode.Scalar)
        /// `?`
        case one
        /// `*`
        case any
    }

    private let elements: [Element]

    /// After how many characters the work is counted.
    private static let reportInterval = 4096

    init(_ text: String) {
        var elements: [Element] = []
        for scalar in text.unicodeScalars {
            switch scalar {
            case "?": elements.append(.one)
            // Several in a row mean no more than one.
            case "*": if elements.last != .any { elements.append(.any) }
            default: elements.append(.scalar(scalar))
            }
        }
        self.elements = elements
    }

    /// Whether the whole text is as the pattern says.
    ///
    /// Only the last `*` ever has to take more of the text: what an earlier one could take instead, the last one can
    /// too.
    ///
    /// - Complexity: O(*n* *m*) in the lengths of text and pattern at worst, O(*n*) for most; no memory that grows.
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the work of the request is spent, and
    ///   ``CabinetError/Code/operationCancelled``.
    func matches(_ text: String) throws(CabinetError) -> Bool {
        var uncounted = 0
        let isMatch = try matches(text, &uncounted)
        try WorkMeter.spend(uncounted)
        return isMatch
    }

    /// - Parameter uncounted: The number of tried characters that are not counted as work yet.
    private func matches(_ text: String, _ uncounted: inout Int) throws(CabinetError) -> Bool {
        let scalars = text.unicodeScalars
        var place = scalars.startIndex
        var index = 0
        /// The element after the last `*`, and the position in the text at which it is tried.
        var retry: (index: Int, place: String.UnicodeScalarView.Index)?
        while place < scalars.endIndex {
            uncounted += 1
            if uncounted == Self.reportInterval {
                try WorkMeter.spend(uncounted)
                uncounted = 0
            }
            if index < elements.count {
                if elements[index] == .any {
                    index += 1
                    retry = (index, place)
                    continue
                }
                if elements[index] == .one || elements[index] == .scalar(scalars[place]) {
                    index += 1
                    scalars.formIndex(after: &place)
                    continue
                }
            }
            guard let last = retry else { return false }
            // A pattern that ends with `*` takes the rest of the text.
            if last.index == elements.count { return true }
            let next = scalars.index(after: last.place)
            retry = (last.index, next)
            index = last.index
            place = next
        }
        return elements[index...].allSatisfy { $0 == .any }
    }
}
