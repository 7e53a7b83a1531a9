/// Operands are equal if their texts have the same scalars: members of JSON may differ in their normal form alone.
extension Filter.Expression {
    /// Returns whether two operands have the same value in every record.
    public static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.field(let left), .field(let right)), (.variable(let left), .variable(let right)),
            (.unstorable(let left), .unstorable(let right)):
            left.hasSameScalars(as: right)
        case (.member(let left, let leftKey), .member(let right, let rightKey)):
            leftKey.hasSameScalars(as: rightKey) && left == right
        case (.element(let left, let leftIndex), .element(let right, let rightIndex)):
            leftIndex == rightIndex && left == right
        case (.arithmetic(let left, let leftSign, let leftEnd), .arithmetic(let right, let rightSign, let rightEnd)):
            leftSign == rightSign && left == right && leftEnd == rightEnd
        case (.negative(let left), .negative(let right)): left == right
        case (.distance(let left, let leftEnd), .distance(let right, let rightEnd)):
            left == right && leftEnd == rightEnd
        case (.referring(let left, let leftKey, let leftFilter), .referring(let right, let rightKey, let rightFilter)):
            left.hasSameScalars(as: right) && leftKey.hasSameScalars(as: rightKey) && leftFilter == rightFilter
        case (.searchableText, .searchableText): true
        case (.constant(let left), .constant(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        default: false
        }
    }

    /// Hashes the operand.
    ///
    /// - Parameter hasher: The hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .field(let key): key.hashScalars(into: &hasher)
        case .variable(let text), .unstorable(let text):
            hasher.combine(1)
            text.hashScalars(into: &hasher)
        case .member(let start, let key):
            hasher.combine(start)
            key.hashScalars(into: &hasher)
        case .element(let list, let index):
            hasher.combine(list)
            hasher.combine(index)
        case .arithmetic(let left, let sign, let right):
            hasher.combine(sign)
            hasher.combine(left)
            hasher.combine(right)
        case .negative(let operand):
            hasher.combine(2)
            hasher.combine(operand)
        case .distance(let left, let right):
            hasher.combine(left)
            hasher.combine(right)
        case .referring(let type, let key, let filter):
            type.hashScalars(into: &hasher)
            key.hashScalars(into: &hasher)
            hasher.combine(filter)
        case .searchableText: hasher.combine(3)
        case .constant(let value): hasher.combine(value)
        case .list(let elements): hasher.combine(elements)
        }
    }
}
