@testable import Cabinet

/// Compares values of the seam, most of which are not equatable.
enum ValueEquality {
    static func areEqual(_ left: Any, _ right: Any) -> Bool {
        if let (left, right) = (left, right) as? (CabinetError, CabinetError) { return areEqual(left, right) }
        if let (left, right) = (left, right) as? ([RecordID: CabinetError], [RecordID: CabinetError]) {
            return left.keys == right.keys
                && left.allSatisfy { id, error in right[id].map { areEqual(error, $0) } ?? false }
        }
        if let left = left as? any Equatable {
            // A number that is not one does not even equal itself.
            return isSame(left, right) || "\(left)".contains("nan") && "\(left)" == "\(right)"
        }
        let (one, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
        return one.subjectType == other.subjectType && one.children.count == other.children.count
            && zip(one.children, other.children).allSatisfy { $0.label == $1.label && areEqual($0.value, $1.value) }
    }

    private static func isSame<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { right as? Value == left }

    /// Of a conflict, the server's record is compared: the client has the other two.
    private static func areEqual(_ left: CabinetError, _ right: CabinetError) -> Bool {
        left.code == right.code && left.message == right.message && left.recordID == right.recordID
            && left.fieldKey == right.fieldKey && left.retryAfterSeconds == right.retryAfterSeconds
            && left.isUndeclared == right.isUndeclared && left.serverRecord == right.serverRecord
            && areEqual(left.underlyingError as Any, right.underlyingError as Any)
            && areEqual(left.partialErrorsByItemID as Any, right.partialErrorsByItemID as Any)
    }
}
