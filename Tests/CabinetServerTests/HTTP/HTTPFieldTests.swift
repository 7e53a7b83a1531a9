import CabinetServer
import Testing

@Suite("Fields: names without case, values without line breaks")
struct HTTPFieldTests {
    @Test(
        "A value with a control character is refused, and changes nothing",
        arguments: [
            "a\r\nSet-Cookie: b", "a\nb", "a\rb", "a\u{0}", "\u{7F}", "a\tb", "\u{1B}[0m",
        ])
    func injection(value: String) throws {
        var fields = HTTPFields()
        try fields.set(.location, to: "/")
        #expect(throws: HTTPError.self) { try fields.set(.location, to: value) }
        #expect(throws: HTTPError.self) { try HTTPField(name: .location, value: value) }
        #expect(fields[.location] == "/")
    }

    @Test("A name is a token", arguments: ["", "a b", "a:", "a\r\n", "(a)", "\u{E9}", "a\u{0}"])
    func names(text: String) {
        #expect(HTTPField.Name(text) == nil)
        #expect(HTTPRequest.Method(text) == nil)
    }

    @Test("Names are equal without regard to case, and values of one name are joined")
    func lookup() throws {
        let name = try #require(HTTPField.Name("X-Token"))
        let other = try #require(HTTPField.Name("x-tokeN"))
        #expect(name == other && name.hashValue == other.hashValue && name != .host)
        var fields = try HTTPFields([HTTPField(name: name, value: "1"), HTTPField(name: .host, value: "a")])
        fields.append(try HTTPField(name: other, value: "2"))
        #expect(fields[name] == "1, 2")
        #expect(fields.values(of: name) == ["1", "2"])
        #expect(fields[.range] == nil)
        #expect(fields.map(\.description) == ["X-Token: 1", "Host: a", "x-tokeN: 2"])
        try fields.set(other, to: nil)
        #expect(fields.count == 1)
    }

    @Test("A status has three digits from 200 to 599")
    func status() {
        #expect(HTTPResponse.Status(code: 200) == .ok)
        #expect([-1, 0, 100, 199, 600, 1_000].allSatisfy { HTTPResponse.Status(code: $0) == nil })
    }

    @Test("A target is split at the first question mark, and not decoded")
    func target() {
        let request = HTTPRequest(method: .get, target: "/a%2Fb?c=%3F?d")
        #expect(request.path == "/a%2Fb" && request.query == "c=%3F?d")
        #expect(HTTPRequest(method: .get, target: "/a").query == nil)
        #expect(HTTPRequest(method: .get, target: "?").path == "")
    }

    @Test("A response to an unknown error says nothing about it")
    func report() async throws {
        struct Secret: Error {}
        let response = HTTPResponse(reporting: Secret())
        #expect(response.status == .internalServerError)
        #expect(response.body.bytes.map { !String(decoding: $0, as: UTF8.self).contains("Secret") } == true)
        let known = HTTPResponse(reporting: HTTPError(.notFound, "Nothing."))
        #expect(known.status == .notFound && known.body.bytes?.count == 9)
    }
}
