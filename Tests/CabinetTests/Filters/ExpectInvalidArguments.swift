import Cabinet
import Testing

/// Expects the error of invalid filters, plans and positions.
@discardableResult
func expectInvalidArguments<Result>(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) -> CabinetError? {
    let error = #expect(throws: CabinetError.self, comment, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == .invalidArguments, comment, sourceLocation: sourceLocation)
    return error
}
