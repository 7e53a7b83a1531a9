/// The required values of a record type that has none.
public struct NoRequiredFields: Encodable, Sendable {
    /// Creates the empty value.
    public init() {}
}
