import Foundation

extension String: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> String { try reader.readText() }

    func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Int64: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Int64 { try reader.readInt64() }

    func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Int: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Int {
        guard let number = Int(exactly: try reader.readInt64()) else { throw reader.unexpected("a smaller integer") }
        return number
    }

    func write(to writer: inout JSONWriter) { writer.write(Int64(self)) }
}

extension Double: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Double { try reader.readDouble() }

    func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Bool: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Bool { try reader.readBool() }

    func write(to writer: inout JSONWriter) { writer.write(self) }
}

extension Data: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Data { try reader.readData() }

    func write(to writer: inout JSONWriter) { writer.write(self) }
}

/// A date is the number of seconds since 2001, which is exact.
extension Date: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Date {
        Date(timeIntervalSinceReferenceDate: try reader.readDouble())
    }

    func write(to writer: inout JSONWriter) { writer.write(timeIntervalSinceReferenceDate) }
}

extension Array: Coded where Element: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(reader.count)
        try reader.array { reader throws(CabinetError) in elements.append(try Element.read(from: &reader)) }
        return elements
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try writer.array { writer throws(CabinetError) in
            for element in self { try element.write(to: &writer) }
        }
    }
}

/// An optional value is null if it is `nil`; as a part of an object, it is left out.
extension Optional: Coded where Wrapped: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Wrapped? {
        reader.readNull() ? nil : try Wrapped.read(from: &reader)
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        guard let self else { return writer.writeNull() }
        try self.write(to: &writer)
    }
}

extension UUID: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> UUID {
        guard let id = UUID(uuidString: try reader.readText()) else { throw reader.unexpected("a UUID before here") }
        return id
    }

    func write(to writer: inout JSONWriter) { writer.write(uuidString) }
}

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
