/// A path to a value in the JSON of a record's own field, which an index can cover: `address.@string.city`.
///
/// The core keeps the value in a hidden field, which each save writes, and to which indexes and plans refer. So a backend needs no
/// index of JSON, and a value is found as the evaluator computes it. The name of the hidden field spells the path.
package struct IndexedPath: Sendable, Hashable {
    /// The field with the JSON.
    let fieldKey: Record.FieldKey
    /// The steps from the field's text, each into the text that the one before found.
    private let steps: [FieldPath.JSON]
    /// The type of the value.
    package let type: FieldType

    /// The maximum number of paths in the indexes of a record type.
    static let maximumCount = 16

    /// Reads a path.
    ///
    /// - Returns: `nil` if the text is not a path from a field into its JSON.
    package init?(_ key: Record.FieldKey) {
        guard FieldPath.isLong(key), let path = try? FieldPath(key), SystemField(rawValue: path.first) == nil else {
            return nil
        }
        var steps: [FieldPath.JSON] = []
        for step in path.steps.dropFirst() {
            guard case .json(let json) = step else { return nil }
            steps.append(json)
        }
        guard let last = steps.last, steps.dropLast().allSatisfy({ $0.type == .string }) else { return nil }
        self.init(fieldKey: path.first, steps: steps, type: FieldType(last.type))
    }

    private init(fieldKey: Record.FieldKey, steps: [FieldPath.JSON], type: FieldType) {
        self.fieldKey = fieldKey
        self.steps = steps
        self.type = type
    }

    /// The path as filters and schemas spell it.
    var key: Record.FieldKey { ([fieldKey] + steps.map(\.description)).joined(separator: ".") }

    /// Returns the path that begins at a field of another name.
    func renamed(_ fieldKey: Record.FieldKey) -> IndexedPath {
        IndexedPath(fieldKey: fieldKey, steps: steps, type: type)
    }

    /// Returns the value that the path leads to.
    ///
    /// - Throws: ``CabinetError/Code/limitExceeded`` if the budget of the request is spent.
    package func value(in fields: FieldValues) throws(CabinetError) -> FieldValue? {
        var value = fields[fieldKey]
        for step in steps {
            guard case .string(let text)? = value else { return nil }
            value = try step.value(in: text)
        }
        // A store has no negative zero.
        if case .double(0)? = value { return .double(0) }
        return value
    }
}

extension IndexedPath {
    /// The name of the hidden field: letters and digits of the path, with `__` for an underscore and `_2e` for a dot.
    package var hiddenKey: Record.FieldKey {
        var name = "_"
        for byte in key.utf8 {
            switch byte {
            case UInt8(ascii: "_"): name += "__"
            case _ where NameGrammar.identifier.others.contains(byte): name.unicodeScalars.append(Unicode.Scalar(byte))
            default: name += "_" + withUnsafeBytes(of: byte, \.hexadecimal)
            }
        }
        return name
    }

    /// Reads the name of a hidden field.
    ///
    /// - Returns: `nil` if it is not the name of one.
    package init?(hiddenKey: Record.FieldKey) {
        guard FieldNames.isHidden(hiddenKey) else { return nil }
        var path: [UInt8] = []
        var bytes = hiddenKey.utf8.dropFirst().makeIterator()
        while let byte = bytes.next() {
            if byte != UInt8(ascii: "_") {
                path.append(byte)
                continue
            }
            guard let first = bytes.next() else { return nil }
            if first == UInt8(ascii: "_") {
                path.append(first)
                continue
            }
            guard let second = bytes.next(), let high = UInt8(hexadecimalDigit: first),
                let low = UInt8(hexadecimalDigit: second)
            else { return nil }
            path.append(high << 4 | low)
        }
        self.init(String(decoding: path, as: UTF8.self))
        if self.hiddenKey != hiddenKey { return nil }
    }

    /// The reason why no index can cover the path, as the end of a sentence; `nil` if one can.
    var refusal: String? {
        if key.unicodeScalars.contains(where: { $0.value < 32 || $0 == "\"" }) {
            return "which has a quotation mark or a control character"
        }
        if hiddenKey.utf8.count > NameGrammar.maximumLength {
            return "which is too long by \(hiddenKey.utf8.count - NameGrammar.maximumLength) characters"
        }
        return nil
    }
}

extension [Record.FieldKey: FieldType] {
    /// The fields that clients see.
    var visible: Self { keys.contains(where: FieldNames.isHidden) ? filter { !FieldNames.isHidden($0.key) } : self }
}

extension StoredSchema {
    /// The schema without hidden fields.
    var visible: StoredSchema { StoredSchema(recordTypes: recordTypes.mapValues(\.visible), indexes: indexes) }

    /// Returns the paths that the indexes of a record type cover.
    func indexedPaths(of recordType: Record.RecordType) -> Set<IndexedPath> {
        guard let indexes = indexes[recordType] else { return [] }
        return indexes.indexedPaths
    }

    /// Returns the paths into a field, or into all fields of a type, that have a hidden field.
    func hiddenPaths(of part: SchemaPart) -> [IndexedPath] {
        (recordTypes[part.recordType] ?? [:]).keys.compactMap(IndexedPath.init(hiddenKey:))
            .filter { part.fieldKey == nil || $0.fieldKey == part.fieldKey }.sorted { $0.key < $1.key }
    }
}

extension Set<StoredIndex> {
    /// The paths that the indexes cover.
    var indexedPaths: Set<IndexedPath> {
        var paths: Set<IndexedPath> = []
        for case .compound(let keys) in self {
            for key in keys where FieldNames.isHidden(key) {
                if let path = IndexedPath(hiddenKey: key) { paths.insert(path) }
            }
        }
        return paths
    }
}
