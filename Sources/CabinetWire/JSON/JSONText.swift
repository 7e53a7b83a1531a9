package import Cabinet

/// A JSON text that was checked as a whole, shared by the nodes that read it.
///
/// Everything that a reader could trip over is refused here: depth, length, repeated keys, UTF-8, lone surrogates, malformed
/// numbers. A node then reads its value without checking the text again.
package final class JSONText: Sendable {
    let tokens: [JSONTokens.Token]
    let bytes: [UInt8]

    /// Checks a text.
    ///
    /// - Throws: ``/Cabinet/CabinetError/Code/invalidArguments`` if it is not strict JSON, and
    ///   ``/Cabinet/CabinetError/Code/limitExceeded`` if it is too long.
    package init(_ bytes: [UInt8]) throws(CabinetError) {
        let text = try JSONTokens(bytes)
        tokens = text.tokens
        self.bytes = text.bytes
    }

    /// The value of the whole text.
    package var root: JSONNode { JSONNode(text: self, position: 0) }

    /// Returns the text of a token.
    func string(of token: JSONTokens.Token) -> String {
        bytes.withUnsafeBufferPointer { JSONEscape.text(of: token, in: $0) }
    }

    /// Returns the source of a token that is neither a text nor a container.
    func source(of token: JSONTokens.Token) -> String {
        String(decoding: bytes[Int(token.start)..<Int(token.end)], as: UTF8.self)
    }

    /// Returns the path of the value at a token, such as `records[3].fields.name`; only errors need it.
    func path(of position: Int) -> String {
        var path = ""
        var container = 0
        while container < position {
            let token = tokens[container]
            var child = container + 1
            var index = 0
            while child < Int(token.next) {
                let value = token.kind == .object ? child + 1 : child
                if position < Int(tokens[value].next) {
                    path +=
                        token.kind == .object ? "\(path.isEmpty ? "" : ".")\(string(of: tokens[child]))" : "[\(index)]"
                    if position == child, token.kind == .object { return path }
                    container = value
                    break
                }
                child = Int(tokens[value].next)
                index += 1
            }
            if child >= Int(token.next) { return path }
        }
        return path
    }
}
