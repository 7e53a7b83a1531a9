public import Cabinet

/// Throws unless a condition holds.
///
/// - Parameters:
///   - condition: The condition that must be true.
///   - message: A sentence that describes the failure.
///   - fileID: The file that the failure names.
///   - line: The line that the failure names.
/// - Throws: ``ConformanceFailure``.
public func expect(
    _ condition: Bool, _ message: @autoclosure () -> String, fileID: String = #fileID, line: Int = #line
) throws {
    if !condition { throw ConformanceFailure(message: message(), fileID: fileID, line: line) }
}

/// Throws unless two values are equal.
///
/// - Parameters:
///   - subject: The name of the value, as the beginning of a sentence.
///   - value: The found value.
///   - expected: The expected value.
///   - fileID: The file that the failure names.
///   - line: The line that the failure names.
/// - Throws: ``ConformanceFailure``.
public func expect<Value: Equatable>(
    _ subject: String, _ value: Value, equals expected: Value, fileID: String = #fileID, line: Int = #line
) throws {
    if value == expected { return }
    let texts = [String(describing: value), String(describing: expected)]
    let start = zip(texts[0], texts[1]).prefix { $0 == $1 }.count
    throw ConformanceFailure(
        message: "\(subject): found \(shown(texts[0], from: start)), expected \(shown(texts[1], from: start)).",
        fileID: fileID, line: line)
}

/// Returns a value that must exist.
///
/// - Parameters:
///   - value: The found value, or `nil`.
///   - subject: The name of the value, as the beginning of a sentence.
///   - fileID: The file that the failure names.
///   - line: The line that the failure names.
/// - Throws: ``ConformanceFailure`` if the value is `nil`.
public func require<Value>(
    _ value: Value?, _ subject: String, fileID: String = #fileID, line: Int = #line
) throws -> Value {
    if let value { return value }
    throw ConformanceFailure(message: "\(subject): found nothing.", fileID: fileID, line: line)
}

/// Throws unless a closure throws an error with a code.
///
/// - Parameters:
///   - code: The code that the error must have.
///   - words: Words that the error's message must contain.
///   - recordID: The record that the error must name, if given.
///   - fieldKey: The field that the error must name, if given.
///   - fileID: The file that the failure names.
///   - line: The line that the failure names.
///   - body: The call that must fail.
/// - Returns: The error.
/// - Throws: ``ConformanceFailure``.
@discardableResult
public func expectError<Result>(
    _ code: CabinetError.Code, naming words: [String] = [], about recordID: RecordID? = nil,
    in fieldKey: Record.FieldKey? = nil, fileID: String = #fileID, line: Int = #line,
    from body: () async throws -> Result
) async throws -> CabinetError {
    let result: Result
    do {
        result = try await body()
    } catch let failure as ConformanceFailure {
        throw failure
    } catch {
        let expected = ExpectedError(code: code, words: words, recordID: recordID, fieldKey: fieldKey)
        if let message = expected.mismatch(with: error) {
            throw ConformanceFailure(message: message, fileID: fileID, line: line, underlyingError: error)
        }
        return error as? CabinetError ?? CabinetError(code, "")
    }
    throw ConformanceFailure(
        message: "Expected the error \(code); found \(shown(result)).", fileID: fileID, line: line)
}

/// Throws unless the result of one item of a request is an error with a code.
///
/// - Parameters:
///   - result: The result of the item.
///   - code: The code that the error must have.
///   - words: Words that the error's message must contain.
///   - fileID: The file that the failure names.
///   - line: The line that the failure names.
/// - Returns: The error.
/// - Throws: ``ConformanceFailure``.
@discardableResult
public func expectFailure<Success>(
    _ result: Result<Success, CabinetError>?, _ code: CabinetError.Code, naming words: [String] = [],
    fileID: String = #fileID, line: Int = #line
) async throws -> CabinetError {
    let result = try require(result, "The item's result", fileID: fileID, line: line)
    return try await expectError(code, naming: words, fileID: fileID, line: line) { try result.get() }
}

/// The requirements for an error.
private struct ExpectedError {
    let code: CabinetError.Code
    /// Words that the message contains.
    let words: [String]
    /// The record that the error names; `nil` for any.
    let recordID: RecordID?
    /// The field that the error names; `nil` for any.
    let fieldKey: Record.FieldKey?

    /// Returns what an error lacks; `nil` if it lacks nothing.
    func mismatch(with error: any Error) -> String? {
        guard let error = error as? CabinetError, error.code == code else {
            return "The error has another code than \(code)."
        }
        if let word = words.first(where: { !error.message.contains($0) }) {
            return "Expected a message that contains '\(word)'."
        }
        if let recordID, error.recordID != recordID { return "Expected an error about the record \(recordID)." }
        if let fieldKey, error.fieldKey != fieldKey { return "Expected an error about the field '\(fieldKey)'." }
        return nil
    }
}

/// A value as a failure's message shows it, truncated if it is long.
///
/// The part of a long text that is shown includes the character at an offset, if there is one.
private func shown(_ value: some Any, from offset: Int = 0) -> String {
    let text = String(describing: value)
    let start = offset < 300 ? 0 : offset - 100
    let part = text.dropFirst(start)
    return (start > 0 ? "…" : "") + (part.count > 400 ? "\(part.prefix(400))…" : String(part))
}
