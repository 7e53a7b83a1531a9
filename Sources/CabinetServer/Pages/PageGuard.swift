import Cabinet
import Foundation

/// Refuses what other sites send to the pages of a web program, and forbids browsers what pages of it do not need.
///
/// ```swift
/// let pages = PageGuard(origins: ["http://127.0.0.1:8080"])
/// try pages.check(request)
/// let form = try await HTTPForm(request)
/// try pages.check(form)
/// // …
/// pages.protect(&response)
/// ```
///
/// A page contains ``formField`` in each form. Its style, script and pictures are files of the program, since nothing within a page, and
/// nothing of another site, is run or shown.
public struct PageGuard: Sendable {
    /// The origins of the pages, by the hosts that browsers name.
    private let origins: [String: String]
    private let formToken: String

    /// Creates a guard, with a new secret for forms.
    ///
    /// - Parameter origins: The schemes, names and ports by which browsers reach the program, such as `http://127.0.0.1:8080`.
    public init(origins: some Sequence<String>) {
        let named = origins.compactMap { origin -> (String, String)? in
            guard let url = URL(string: origin.lowercased()), let scheme = url.scheme, let name = url.host() else {
                return nil
            }
            let host = "\(name.contains(":") ? "[\(name)]" : name)\(url.port.map { ":\($0)" } ?? "")"
            return (host, "\(scheme)://\(host)")
        }
        self.origins = Dictionary(named, uniquingKeysWith: { first, _ in first })
        formToken = URLBase64.random(32)
    }

    /// Throws unless a request came to a name of the program and, if it changes something, from one of its own pages.
    ///
    /// Another site may lead a name of its own to this machine, and send forms in the name of a person.
    ///
    /// - Parameter request: The request.
    /// - Throws: ``HTTPError`` with the status 421 for another name, and 403 for a form of another site.
    public func check(_ request: HTTPRequest) throws(HTTPError) {
        guard let own = origin(of: request) else {
            throw HTTPError(.misdirectedRequest, "The pages are not served under this name.")
        }
        if request.method == .get || request.method == .head { return }
        if let origin = request.headerFields[.origin] {
            if origin.lowercased() != own { throw HTTPError(.forbidden, "The form was sent by another site.") }
        } else if request.headerFields[.fetchSite] != "same-origin" {
            throw HTTPError(.forbidden, "The browser does not say which page has sent the form.")
        }
    }

    /// The origin by which a browser has reached the program; `nil` under another name.
    package func origin(of request: HTTPRequest) -> String? {
        request.headerFields[.host].flatMap { origins[$0.lowercased()] }
    }

    /// The hidden field of each form, which shows that the program's own page has sent it.
    public var formField: HTML { "<input type=\"hidden\" name=\"token\" value=\"\(formToken)\">" }

    /// Throws unless a form has the field ``formField``.
    ///
    /// - Parameter form: The form.
    /// - Throws: ``HTTPError`` with the status 403.
    public func check(_ form: HTTPForm) throws(HTTPError) {
        guard form["token"] == formToken else {
            throw HTTPError(.forbidden, "The form is not from this program, or an old one. Open the page again.")
        }
    }

    /// Adds the fields to a response that forbid frames, guesses of types, and all scripts, styles and pictures but the program's own.
    ///
    /// - Parameter response: The response.
    public func protect(_ response: inout HTTPResponse) {
        response.addPageFields(
            sources: "script-src 'self'; img-src 'self'; connect-src 'self'; ", referrer: "same-origin")
        response.headerFields.append(checked: .crossOriginOpenerPolicy, value: "same-origin")
        response.headerFields.append(checked: .crossOriginResourcePolicy, value: "same-origin")
    }

    /// Returns the origins by which browsers reach a listener: on loopback, also `localhost`.
    ///
    /// - Parameter url: The address of the listener, such as `http://127.0.0.1:8080`.
    public static func origins(of url: String) -> [String] {
        let url = localURL(url)
        let names = ["127.0.0.1", "[::1]"].filter { url.contains("//\($0):") }
        return [url] + names.map { url.replacing($0, with: "localhost") }
    }

    /// Returns the address of a listener for a browser on this machine, also if it listens on all of its addresses.
    package static func localURL(_ url: String) -> String {
        url.replacing("//0.0.0.0:", with: "//127.0.0.1:").replacing("//[::]:", with: "//[::1]:")
    }
}
