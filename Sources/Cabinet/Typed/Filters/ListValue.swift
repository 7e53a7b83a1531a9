/// A list of values that fields can hold.
public protocol ListValue: RecordValue {
    /// The type of the elements.
    associatedtype Element: RecordValue
}

extension Array: ListValue where Element: RecordValue {}
