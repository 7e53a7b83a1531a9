/// A value that crosses the seam: it is written to JSON, and read from it.
protocol Coded: Sendable {
    /// Reads the value at the reader's position.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if another value stands there.
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self

    /// Writes the value, so that ``read(from:)`` returns an equal one.
    ///
    /// - Throws: ``CabinetError/Code/invalidArguments`` if the value has no coding, such as a file of this machine.
    func write(to writer: inout JSONWriter) throws(CabinetError)
}

/// A coded value with named parts, which one function reads and writes, so that both directions have the same parts.
protocol CodedObject: Coded {
    /// Creates a value to read the parts into.
    init()

    /// Reads or writes each part.
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError)
}

/// A direction of coding the parts of a ``CodedObject``.
protocol ObjectCoder {
    /// Codes a part that every value has.
    mutating func part<Value: Coded>(_ key: StaticString, _ value: inout Value) throws(CabinetError)

    /// Codes a part that is left out if it is `nil`.
    mutating func part<Value: Coded>(_ key: StaticString, _ value: inout Value?) throws(CabinetError)
}

extension CodedObject {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self {
        try reader.object { reader throws(CabinetError) in
            var value = Self()
            try value.code(with: &reader)
            return value
        }
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        var value = self
        try writer.object { writer throws(CabinetError) in try value.code(with: &writer) }
    }
}

extension JSONReader: ObjectCoder {
    mutating func part<Value: Coded>(_ key: StaticString, _ value: inout Value) throws(CabinetError) {
        let isThere = try member(key) { reader throws(CabinetError) in value = try Value.read(from: &reader) }
        if !isThere { throw missing(key) }
    }

    mutating func part<Value: Coded>(_ key: StaticString, _ value: inout Value?) throws(CabinetError) {
        let isThere = try member(key) { reader throws(CabinetError) in value = try Value.read(from: &reader) }
        if !isThere { value = nil }
    }
}

extension JSONWriter: ObjectCoder {
    mutating func part<Value: Coded>(_ key: StaticString, _ value: inout Value) throws(CabinetError) {
        self.key(key)
        try value.write(to: &self)
    }

    mutating func part<Value: Coded>(_ key: StaticString, _ value: inout Value?) throws(CabinetError) {
        guard let value else { return }
        self.key(key)
        try value.write(to: &self)
    }
}

extension Coded where Self: RawRepresentable, RawValue: Coded {
    static func read(from reader: inout JSONReader) throws(CabinetError) -> Self {
        guard let value = Self(rawValue: try RawValue.read(from: &reader)) else {
            throw reader.unexpected("a known value of \(Self.self) before here")
        }
        return value
    }

    func write(to writer: inout JSONWriter) throws(CabinetError) {
        try rawValue.write(to: &writer)
    }
}
