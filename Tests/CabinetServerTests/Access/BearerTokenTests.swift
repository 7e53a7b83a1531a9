import Testing

@testable import CabinetServer

@Suite("The token of Authorization")
struct BearerTokenTests {
    private func token(_ value: String) -> String? {
        var fields = HTTPFields()
        fields.append(checked: .authorization, value: value)
        return HTTPRequest(method: .get, path: "/", headerFields: fields).bearerToken
    }

    @Test(
        "is read in the form of RFC 6750",
        arguments: [
            ("Bearer abc", "abc"), ("bearer abc", "abc"), ("BEARER  a-b_c.d~e+f/g0Z9==", "a-b_c.d~e+f/g0Z9=="),
            ("Bearer a=", "a="), ("Bearer abc ", "abc"),
        ])
    func valid(_ value: String, _ expected: String) {
        #expect(token(value) == expected)
    }

    @Test(
        "is refused in any other form",
        arguments: [
            "", " ", "Bearer", "Bearer ", " Bearer abc", "Basic abc", "Bearer abc def", "Bearer =", "Bearer ==",
            "Bearer a=b", "Bearer a,b", "Bearer a:b", "Bearer a\tb", "Bearer é", "Bearer a\0", "Bearerabc",
            "B\u{301}earer abc",
        ])
    func invalid(_ value: String) {
        #expect(token(value) == nil)
    }
}
