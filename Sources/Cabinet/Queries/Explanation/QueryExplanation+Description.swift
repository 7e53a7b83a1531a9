extension QueryExplanation: CustomStringConvertible {
    /// The explanation as a few lines of plain words.
    ///
    /// ```
    /// found: by the index cabinet_items_list, with the values of list
    /// decided by the store: list == <Groceries>
    /// evaluated afterwards: name MATCHES 'M.*k'
    /// order: sorted afterwards
    /// ```
    public var description: String {
        var lines = access.isEmpty ? ["found: without reading a record"] : access.map { "found: \($0.words)" }
        lines.append("decided by the store: \(pushedDown?.description ?? "nothing")")
        lines.append("evaluated afterwards: \(evaluated?.description ?? "nothing")")
        switch ordering {
        case .byIndex: lines.append("order: in the order found")
        case .sorted: lines.append("order: sorted afterwards")
        }
        if !details.isEmpty {
            lines.append("in the store's words:")
            lines += details.map { "  \($0)" }
        }
        return lines.joined(separator: "\n")
    }
}

extension QueryExplanation.Access {
    /// The access to the records, as the end of a line.
    fileprivate var words: String {
        switch self {
        case .scan: "by reading every record of the type"
        case .index(let name, let fields) where fields.isEmpty: "by going through the index \(name) in its order"
        case .index(let name, let fields): "by the index \(name), with the values of \(fields.joined(separator: ", "))"
        case .nothing: "without reading a record, because none can match"
        }
    }
}
