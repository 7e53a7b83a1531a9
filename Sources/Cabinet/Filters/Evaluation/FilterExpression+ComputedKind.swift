extension Filter.Expression {
    /// Returns the kind of the operand's value, if the operand is computed from others.
    ///
    /// - Throws: The fault of the operands, as a sentence without its full stop.
    func computedKind(in fields: FieldTypes) throws(PathType.Failure) -> OperandType.Kind {
        switch self {
        case .member(let operand, let member): try operand.memberKind(member, in: fields)
        case .element(let list, let index): try list.elementKind(index, in: fields)
        case .arithmetic(let left, _, let right):
            try Self.numberKind([left, right], "Arithmetic takes numbers", in: fields)
        case .negative(let operand): try Self.numberKind([operand], "A minus sign takes a number", in: fields)
        case .distance(let left, let right): try Self.distanceKind([left, right], in: fields)
        case .referring: .scalar(.int64)
        case .field, .constant, .list, .searchableText, .variable, .unstorable:
            OperandType(self, fields: fields).kind
        }
    }

    /// The kind of what a path leads to from this operand.
    private func memberKind(
        _ member: Record.FieldKey, in fields: FieldTypes
    ) throws(PathType.Failure) -> OperandType.Kind {
        let operand = OperandType(self, fields: fields)
        let type: PathType =
            switch operand.kind {
            case .nothing: .nothing
            case .unknown, .list(of: nil, _): .unknown
            case .scalar(let type): .value(FieldType(type))
            case .list(let type?, _): .value(.list(of: type))
            }
        do {
            return OperandType.Kind(try type.following(FieldPath.steps(of: member), in: fields))
        } catch let failure as PathType.Failure {
            throw failure
        } catch {
            throw PathType.Failure(message: "'\(member)' is not a key path")
        }
    }

    private func elementKind(
        _ index: Filter.Index, in fields: FieldTypes
    ) throws(PathType.Failure) -> OperandType.Kind {
        let list = OperandType(self, fields: fields)
        guard list.mayBeList else {
            throw PathType.Failure(message: "An index in brackets takes a list before it, and \(list.finding)")
        }
        switch index {
        case .at(let position):
            let operand = OperandType(position, fields: fields)
            var isWhole = operand.mayBe([.int64, .double])
            if case .constant(.double(let number)?) = position { isWhole = number == number.rounded(.towardZero) }
            if !isWhole {
                throw PathType.Failure(message: "The index of an element is a whole number, and \(operand.finding)")
            }
        case .first, .last: break
        case .size: return .scalar(.int64)
        }
        return switch list.kind {
        case .list(let type?, _): .scalar(type)
        case .nothing: .nothing
        case .list(_, count: 0): .nothing
        case .list, .unknown, .scalar: .unknown
        }
    }

    private static func numberKind(
        _ operands: [Filter.Expression], _ expectation: String, in fields: FieldTypes
    ) throws(PathType.Failure) -> OperandType.Kind {
        let types = operands.map { OperandType($0, fields: fields) }
        if let wrong = types.first(where: { !$0.mayBe([.int64, .double]) }) {
            throw PathType.Failure(message: "\(expectation), and \(wrong.finding)")
        }
        if types.contains(where: \.isNothing) { return .nothing }
        return types.allSatisfy { $0.kind == .scalar(.int64) } ? .scalar(.int64) : .scalar(.double)
    }

    private static func distanceKind(
        _ operands: [Filter.Expression], in fields: FieldTypes
    ) throws(PathType.Failure) -> OperandType.Kind {
        let types = operands.map { OperandType($0, fields: fields) }
        if let wrong = types.first(where: { !$0.mayBe([.location]) }) {
            throw PathType.Failure(message: "A distance needs two locations, and \(wrong.finding)")
        }
        return types.contains(where: \.isNothing) ? .nothing : .scalar(.double)
    }
}
