package import Cabinet
package import Foundation

extension JSONNode {
    /// Returns the text.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if the value is of another kind, as all readers of this extension do.
    package func string() throws(CabinetError) -> String {
        let token = text.tokens[position]
        guard token.kind == .text || token.kind == .escapedText else { throw error(expected: "a text") }
        return text.string(of: token)
    }

    /// Returns the integer of 64 bits.
    package func int64() throws(CabinetError) -> Int64 {
        let token = text.tokens[position]
        guard token.kind == .integer, let number = token.integer(in: text.bytes) else {
            throw error(expected: "an integer of 64 bits")
        }
        return number
    }

    /// Returns the number.
    package func double() throws(CabinetError) -> Double {
        let token = text.tokens[position]
        guard token.kind == .number || token.kind == .integer, let number = Double(text.source(of: token)),
            number.isFinite
        else { throw error(expected: "a number") }
        return number
    }

    /// Returns the Boolean value.
    package func bool() throws(CabinetError) -> Bool {
        guard kind == .yes || kind == .no else { throw error(expected: "true or false") }
        return kind == .yes
    }

    /// Returns the bytes of a text in Base64.
    package func data() throws(CabinetError) -> Data {
        guard let data = Data(base64Encoded: try string()) else { throw error(expected: "bytes in Base64") }
        return data
    }

    /// Returns an array of values that a function reads.
    package func array<Element>(
        _ read: (JSONNode) throws(CabinetError) -> Element
    ) throws(CabinetError) -> [Element] {
        guard kind == .array else { throw error(expected: "an array") }
        var result: [Element] = []
        result.reserveCapacity(count)
        for element in elements { result.append(try read(element)) }
        return result
    }

    /// Returns an array of texts.
    package func strings() throws(CabinetError) -> [String] {
        try array { node throws(CabinetError) in try node.string() }
    }

    /// Returns the node if it is an object.
    package func object() throws(CabinetError) -> JSONNode {
        guard kind == .object else { throw error(expected: "an object") }
        return self
    }

    /// Returns the value of a member that the object needs.
    package func required(_ key: StaticString) throws(CabinetError) -> JSONNode {
        guard let node = try object()[key] else { throw missing(key) }
        return node
    }
}
