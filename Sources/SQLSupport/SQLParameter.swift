package import Cabinet
package import Foundation

/// A value of a statement's parameter.
package protocol SQLParameter: Sendable {
    static func integer(_ number: Int64) -> Self
    static func double(_ number: Double) -> Self
    static func bytes(_ data: Data) -> Self

    /// Returns the parameter for a text in the format of the columns.
    static func stored(_ text: String) -> Self
}

extension SQLParameter {
    /// The parameter for a value in the format of the columns; `nil` for values that SQL does not compare.
    ///
    /// A reference is its target's record name.
    @inlinable
    package init?(_ value: FieldValue) {
        switch value {
        case .string(let text): self = .stored(text)
        case .int64(let number): self = .integer(number)
        case .double(let number): self = .double(number)
        case .timestamp(let date): self = .double(date.timeIntervalSinceReferenceDate)
        case .bytes(let data): self = .bytes(data)
        case .reference(let reference): self = .stored(reference.recordID.recordName)
        case .location, .asset, .list, .encrypted: return nil
        }
    }
}
