import Cabinet
import Testing

/// Expects the error that bad filters, plans and positions give.
@discardableResult
func expectInvalidArguments<Result>(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) -> CabinetError? {
    let error = #expect(throws: CabinetError.self, comment, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == .invalidArguments, comment, sourceLocation: sourceLocation)
    return error
}
