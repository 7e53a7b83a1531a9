import CabinetServer
import CabinetWire

/// Refuses requests but those of browsers that were signed in, from the dashboard's own pages.
extension Dashboard {
    /// Throws unless a request came to a name of the dashboard and, if it changes something, from one of its own pages.
    func checkOrigin(of request: HTTPRequest) throws(HTTPError) {
        guard let host = request.headerFields[.host]?.lowercased(), let own = origins[host] else {
            throw HTTPError(.misdirectedRequest, "The dashboard is not served under this name.")
        }
        if request.method == .get || request.method == .head { return }
        if let origin = request.headerFields[.origin] {
            if origin.lowercased() != own { throw HTTPError(.forbidden, "The form was sent by another site.") }
        } else if request.headerFields[.fetchSite] != "same-origin" {
            throw HTTPError(.forbidden, "The browser does not say which page has sent the form.")
        }
    }

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
        var response = try Self.redirect(to: "/\(Self.path)")
        let isSecure = request.headerFields[.host].flatMap { origins[$0.lowercased()] }?.hasPrefix("https:") == true
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
