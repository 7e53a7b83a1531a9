import Foundation
import Testing

@testable import CabinetServer

@Suite("Forms of pages")
struct HTTPFormTests {
    private static let type = "multipart/form-data; boundary=x"
    private static let content = """
        --x\r
        Content-Disposition: form-data; name="title"\r
        \r
        Über\r
        two lines\r
        --x\r
        Content-Disposition: form-data; name="picture"; filename="a %22b.png"\r
        Content-Type: image/png\r
        \r
        bytes\r
        --not the end\r
        --x\r
        Content-Disposition: form-data; name="none"; filename=""\r
        \r
        \r
        --x--\r

        """

    private func form(_ body: HTTPBody, type: String = Self.type, limit: Int64 = 1 << 20) async throws -> HTTPForm {
        var fields = HTTPFields()
        try fields.set(.contentType, to: type)
        return try await HTTPForm(
            HTTPRequest(method: .post, path: "/", headerFields: fields, body: body), filesUpTo: limit)
    }

    /// A body that arrives in pieces of a length.
    private func pieces(_ bytes: Data, of length: Int) -> HTTPBody {
        HTTPBody(
            AsyncStream { stream in
                for start in Swift.stride(from: 0, to: bytes.count, by: length) {
                    stream.yield(Data(bytes.dropFirst(start).prefix(length)))
                }
                stream.finish()
            })
    }

    @Test("Texts and files are the same, however they arrive", arguments: 1...64)
    func streaming(length: Int) async throws {
        let form = try await self.form(pieces(Data(Self.content.utf8), of: length))
        #expect(form["title"] == "Über\ntwo lines")
        let file = try #require(form.file("picture"))
        #expect(file.name == "a \"b.png" && file.size == 20)
        #expect(try Data(contentsOf: file.url) == Data("bytes\r\n--not the end".utf8))
        #expect(form.file("none") == nil)
    }

    @Test("A file is recognized by any characters beside its quotation marks", arguments: ["\u{301}a", "a\u{600}"])
    func marks(name: String) async throws {
        let head = "Content-Disposition: form-data; name=\"picture\"; filename=\"\(name)\""
        let form = try await self.form(HTTPBody("--x\r\n\(head)\r\nContent-Type: image/png\r\n\r\nbytes\r\n--x--"))
        #expect(form.file("picture")?.name.unicodeScalars.elementsEqual(name.unicodeScalars) == true)
    }

    @Test("Files are removed with their form, and others cannot read them")
    func removal() async throws {
        var form: HTTPForm? = try await self.form(HTTPBody(Self.content))
        let url = try #require(form?.file("picture")?.url)
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        form = nil
        #expect(!FileManager.default.fileExists(atPath: url.path))
    }

    @Test("A form that is too long is refused while it arrives")
    func limits() async throws {
        await #expect(throws: HTTPError(.contentTooLarge, "The files have more than 19 bytes.")) {
            try await form(HTTPBody(Self.content), limit: 19)
        }
        _ = try await form(HTTPBody(Self.content), limit: 20)
        let head = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
        let long = head + String(repeating: "a", count: HTTPForm.maximumSize + 1) + "\r\n--x--"
        await #expect(throws: HTTPError.self) { try await form(HTTPBody(long)) }
        let many = String(repeating: head + "\r\n", count: 4_097) + "--x--"
        await #expect(throws: HTTPError.self) { try await form(HTTPBody(many)) }
        let files = (0..<300).map {
            "--x\r\nContent-Disposition: form-data; name=\"\($0)\"; filename=\"f\"\r\n\r\n\r\n"
        }
        await #expect(throws: HTTPError.self) { try await form(HTTPBody(files.joined() + "--x--")) }
        // The head of a part never ends.
        let endless = "--x\r\n" + String(repeating: "a", count: 5_000)
        await #expect(throws: HTTPError.self) { try await form(HTTPBody(endless)) }
    }

    @Test("A text that arrives in small pieces costs as much as many short texts do")
    func longText() async throws {
        func form(fields count: Int) async throws -> Duration {
            let head = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
            let text = String(repeating: "a", count: HTTPForm.maximumSize / count)
            let body = pieces(Data((String(repeating: head + text + "\r\n", count: count) + "--x--").utf8), of: 256)
            return try await ContinuousClock().measure {
                let form = try await self.form(body)
                #expect(form["a"] == text)
            }
        }
        // A text that is copied for each piece costs ten times as much. Other tests may disturb one measurement.
        var isLinear = false
        for _ in 0..<10 where !isLinear {
            let many = try await form(fields: 64)
            isLinear = try await form(fields: 1) < many * 4
        }
        #expect(isLinear)
    }

    @Test(
        "A malformed form is refused",
        arguments: [
            "", "--x", "--x\r\n", "--xy\r\n\r\n\r\n--x--",
            "--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb",
            "--x\r\nContent-Disposition: form-data; name=a\r\n\r\nb\r\n--x",
        ])
    func malformed(_ text: String) async throws {
        await #expect(throws: HTTPError.self) { try await form(HTTPBody(text)) }
    }

    @Test("A page without files takes none, and no other type is a form")
    func types() async throws {
        await #expect(throws: HTTPError.self) { try await form(HTTPBody(Self.content), limit: 0) }
        for type in ["text/plain", "application/json", "", "multipart/form-data", "multipart/mixed; boundary=x"] {
            await #expect(throws: HTTPError.self) { try await form(HTTPBody(Self.content), type: type) }
        }
        let decoded = try await form(
            HTTPBody("a=1+2%26&a=3&b"), type: "application/x-www-form-urlencoded; charset=UTF-8")
        #expect(decoded["a"] == "1 2&" && decoded["b"] == "" && decoded["c"] == "")
    }
}
