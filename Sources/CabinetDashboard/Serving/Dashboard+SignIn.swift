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
        guard let secret = sessions.signIn(try await HTTPForm(request)["code"]) else {
            throw HTTPError(
                .forbidden, "This address has been used, or is too old. Start the program again for another one.")
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
            for part in field.split(separator: ";") {
                let sides = part.split(separator: "=", maxSplits: 1)
                if sides.count == 2, sides[0].trimmingPrefix(" ") == name { return String(sides[1]) }
            }
        }
        return nil
    }
}
