extension Query: CodedObject {
    init() {
        self.init(recordType: "")
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("recordType", &recordType)
        var filter: Filter? = filter == .constant(true) ? nil : filter
        try coder.part("filter", &filter)
        self.filter = filter ?? .constant(true)
        var order: [Sort]? = sortDescriptors.isEmpty ? nil : sortDescriptors
        try coder.part("order", &order)
        sortDescriptors = order ?? []
    }
}

/// A filter is coded as its text.
extension Filter: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Filter {
        let text = try reader.readText()
        do {
            return try Filter(format: text, arguments: [])
        } catch let error as CabinetError {
            throw error
        } catch {
            throw CabinetError(
                .invalidArguments, "The filter '\(text.prefix(255))' cannot be read.", underlyingError: error)
        }
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        writer.write(try text())
    }
}

extension Sort: Coded {
    private struct Parts: CodedObject {
        var key = ""
        var descending: Bool?
        var options: Int?
        var origin: Location?

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("key", &key)
            try coder.part("descending", &descending)
            try coder.part("options", &options)
            try coder.part("origin", &origin)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> Sort {
        let parts = try Parts.read(from: &reader)
        let ascending = !(parts.descending ?? false)
        if let origin = parts.origin {
            guard parts.options == nil else { throw reader.unexpected("a distance without options before here") }
            return Sort(parts.key, distanceFrom: origin, ascending: ascending)
        }
        return Sort(parts.key, ascending: ascending, options: Options(rawValue: parts.options ?? 0))
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try Parts(
            key: key, descending: ascending ? nil : true, options: options.isEmpty ? nil : options.rawValue,
            origin: origin
        ).write(to: &writer)
    }
}

extension QueryPosition: CodedObject {
    init() {
        self.init(values: [], insertionNumber: 0)
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("values", &values)
        try coder.part("insertionNumber", &insertionNumber)
        try coder.part("marker", &marker)
    }
}

extension QueryExplanation: CodedObject {
    init() {
        self.init(pushedDown: nil, evaluated: nil, access: [], ordering: .sorted)
    }

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("pushedDown", &pushedDown)
        try coder.part("evaluated", &evaluated)
        try coder.part("access", &access)
        var isByIndex = ordering == .byIndex
        try coder.part("isOrderedByIndex", &isByIndex)
        ordering = isByIndex ? .byIndex : .sorted
        try coder.part("details", &details)
    }
}

extension QueryExplanation.Access: Coded {
    private struct Parts: CodedObject {
        var index: String?
        var fields: [Record.FieldKey]?
        var isScan: Bool?

        mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
            try coder.part("index", &index)
            try coder.part("fields", &fields)
            try coder.part("isScan", &isScan)
        }
    }

    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self {
        let parts = try Parts.read(from: &reader)
        if let index = parts.index { return .index(name: index, fields: parts.fields ?? []) }
        return parts.isScan == true ? .scan : .nothing
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        var parts = Parts()
        switch self {
        case .scan: parts.isScan = true
        case .index(let name, let fields): (parts.index, parts.fields) = (name, fields)
        case .nothing: break
        }
        try parts.write(to: &writer)
    }
}
