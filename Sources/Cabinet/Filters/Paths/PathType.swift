/// The type of the value that a path leads to, as far as it is known without a record.
///
/// A reference may lead to a record of any type. All types of fields with the right name are therefore kept, until a
/// later step excludes some of them.
struct PathType: Equatable {
    /// One thing that the value may be, if it is not nil.
    enum Shape: Hashable {
        /// A value of a type, as a field holds it.
        case value(FieldType)
        /// A list of such values, which was made by a step through a list.
        case elements(FieldType)
    }

    /// The possible types of the value, empty if it is always nil, or `nil` if they are unknown.
    var shapes: Set<Shape>?

    static let nothing = PathType(shapes: [])
    static let unknown = PathType(shapes: nil)

    static func value(_ type: FieldType) -> PathType { PathType(shapes: [.value(type)]) }

    /// The type of a single value or of a field's list, if it is the same wherever the path leads.
    var known: FieldType? {
        guard shapes?.count == 1, case .value(let type)? = shapes?.first else { return nil }
        return type
    }

    /// Returns the type after some more steps.
    ///
    /// - Throws: A message, as a sentence without its full stop, if a step is impossible for all records.
    func following(_ steps: some Collection<FieldPath.Step>, in fields: FieldTypes) throws(Failure) -> PathType {
        var type = self
        var rest = steps[...]
        while let step = rest.popFirst() {
            switch step {
            case .name(let name): type = try type.following(name, in: fields)
            case .json(let json): type = try type.reading(json)
            case .collection(let collection):
                return try type.collected(collection, over: rest, in: fields)
            }
        }
        return type
    }

    /// The reason why a step is impossible.
    struct Failure: Error {
        let message: String
    }

    private func following(_ name: Record.FieldKey, in fields: FieldTypes) throws(Failure) -> PathType {
        guard let shapes else { return .unknown }
        if shapes.isEmpty { return .nothing }
        let references = shapes.filter { $0.scalar == .reference }
        if references.isEmpty, let shape = shapes.first {
            throw Failure(message: "'\(name)' is read from a value of type \(shape), which is not a REFERENCE")
        }
        guard let types = fields.types(ofTarget: name) else { return .unknown }
        var result: Set<Shape> = []
        for shape in references {
            for type in types {
                let type = try type.readable(name)
                result.insert(shape.isList ? .elements(type) : .value(type))
            }
        }
        return PathType(shapes: result)
    }

    private func reading(_ json: FieldPath.JSON) throws(Failure) -> PathType {
        guard let shapes else { return .unknown }
        let texts = shapes.filter { $0.scalar == .string }
        if texts.isEmpty, let shape = shapes.first {
            throw Failure(message: "'\(json)' is read from a value of type \(shape), which is not a STRING with JSON")
        }
        let type = FieldType(json.type)
        return PathType(shapes: Set(texts.map { $0.isList ? .elements(type) : .value(type) }))
    }

    private func collected(
        _ collection: FieldPath.Collection, over rest: some Collection<FieldPath.Step>, in fields: FieldTypes
    ) throws(Failure) -> PathType {
        guard let shapes else { return collection == .count ? .value(.int64) : .unknown }
        if shapes.isEmpty { return .nothing }
        let lists = shapes.filter(\.isList)
        if lists.isEmpty, let shape = shapes.first {
            throw Failure(message: "\(collection.rawValue) takes a list, and finds a value of type \(shape)")
        }
        guard let aggregate = collection.aggregate else { return .value(.int64) }
        let elements = try PathType(shapes: Set(lists.map { .value($0.element) })).following(rest, in: fields)
        guard let shapes = elements.shapes else { return .unknown }
        if let shape = shapes.first, !shapes.contains(where: { $0.isAccepted(by: aggregate) }) {
            throw Failure(message: "\(aggregate.expectation), and the elements are of type \(shape)")
        }
        switch aggregate {
        case .sum: return .value(shapes.contains(.value(.double)) ? .double : .int64)
        case .average: return .value(.double)
        case .minimum, .maximum: return PathType(shapes: shapes.filter { $0.isAccepted(by: aggregate) })
        }
    }
}

extension PathType.Shape: CustomStringConvertible {
    /// Whether the value is a list.
    var isList: Bool {
        switch self {
        case .value(let type): type.isList
        case .elements: true
        }
    }

    /// The type of the value, or of what the list, or a list in the list, holds.
    fileprivate var scalar: FieldType.Scalar {
        switch self {
        case .value(let type), .elements(let type): type.scalar
        }
    }

    /// The type of the elements of a list.
    fileprivate var element: FieldType {
        switch self {
        case .value(let type): FieldType(type.scalar)
        case .elements(let type): type
        }
    }

    fileprivate func isAccepted(by aggregate: Aggregate) -> Bool {
        if case .value(let type) = self { aggregate.accepts(type) } else { false }
    }

    var description: String {
        switch self {
        case .value(let type): "\(type)"
        case .elements(let type): "LIST<\(type)>"
        }
    }
}

extension FieldType {
    /// Returns the type of a field that a filter or a sort key may read.
    ///
    /// - Throws: A message, as a sentence without its full stop, if the field is encrypted.
    func readable(_ key: Record.FieldKey) throws(PathType.Failure) -> FieldType {
        if !isEncrypted { return self }
        throw PathType.Failure(
            message: "The field '\(key)' is of type \(self), and a store cannot read encrypted values. "
                + "Fetch the records, and select among them in the program")
    }
}

extension FieldTypes {
    /// The types that a field of this name has in any record type; `nil` if that is not known.
    fileprivate func types(ofTarget name: Record.FieldKey) -> Set<FieldType>? {
        if let field = SystemField(rawValue: name) { return [field.fieldType] }
        return recordTypes.map { types in Set(types.values.compactMap { $0[name] }) }
    }

    /// Returns the type of the value that a path leads to.
    func type(of path: FieldPath) throws(PathType.Failure) -> PathType {
        let first = try self[path.first].map { type throws(PathType.Failure) in
            PathType.value(try type.readable(path.first))
        }
        return try (first ?? .nothing).following(path.steps.dropFirst(), in: self)
    }

    /// The same for a path that was checked before.
    func type(ofValid key: Record.FieldKey) -> PathType {
        guard FieldPath.isLong(key) else { return self[key].map { PathType.value($0) } ?? .nothing }
        return (try? type(of: FieldPath(key))) ?? .unknown
    }

    /// Returns the type of the value that a key path leads to, if all records have the same one.
    ///
    /// A step through a reference may lead to a record of any type. If the types of the fields that have the name do not
    /// agree, the type is unknown.
    ///
    /// - Parameter key: A field, a system field, or a key path whose steps are single references.
    /// - Returns: The type; `nil` if it is not known, if the value is always nil, or if a step leads through a list.
    public func type(ofPath key: Record.FieldKey) -> FieldType? {
        guard let path = try? FieldPath(key) else { return nil }
        return (try? type(of: path))?.known
    }
}
