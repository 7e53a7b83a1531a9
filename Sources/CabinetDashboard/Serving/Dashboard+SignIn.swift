import CabinetServer
import CabinetWire

/// Signs people in, and recognizes their browsers.
extension Dashboard {
    /// Shows the form that signs a person in, and takes it.
    ///
    /// Only a form uses the code up, as browsers read addresses in advance.
    func signIn(_ request: HTTPRequest, _ target: RequestTarget) async throws -> HTTPResponse {
        guard request.method == .post else {
            return try SignInForm.response(code: target["code"] ?? "")
        }
        // Everyone can send this form.
        let form = try HTTPForm(try await request.body.collect(upTo: 64 << 10))
        guard let secret = sessions.signIn(form["code"]) else {
            throw HTTPError(.forbidden, "This address has been used, or is too old. \(Self.furtherAddress)")
        }
        var response = try HTTPResponse.redirect(to: "/\(Self.path)")
        let isSecure = pages.origin(of: request)?.hasPrefix("https:") == true
        let secure = isSecure ? "; Secure" : ""
        response.headerFields.append(
            checked: .setCookie,
            value: "\(cookieName)=\(secret); Path=/\(Self.path); HttpOnly; SameSite=Strict\(secure)")
        return response
    }
}

extension HTTPRequest {
    /// Returns the value of a cookie.
    func cookie(_ name: String) -> String? {
        for field in headerFields.values(of: .cookie) {
            // By scalars: another program's cookie may end with a mark that makes the semicolon a part of its last letter.
            for part in field.unicodeScalars.split(separator: ";") {
                let sides = part.split(separator: "=", maxSplits: 1).map { String($0) }
                if sides.count == 2, sides[0].trimmingPrefix(" ") == name { return sides[1] }
            }
        }
        return nil
    }
}
