/// A result is an object with either the value or the error.
extension Result: Coded where Success: Coded, Failure == CabinetError {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self {
        let parts = try Parts<Success>.read(from: &reader)
        switch (parts.value, parts.error) {
        case (let value?, nil): return .success(value)
        case (nil, let error?): return .failure(error)
        default: throw reader.unexpected("either a value or an error")
        }
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        switch self {
        case .success(let value): try writer.object("value", value)
        case .failure(let error): try writer.object("error", error)
        }
    }
}

private struct Parts<Value: Coded>: CodedObject {
    var value: Value?
    var error: CabinetError?

    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("value", &value)
        try coder.part("error", &error)
    }
}
