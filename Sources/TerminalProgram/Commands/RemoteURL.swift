package import Foundation

/// The URL of a server of records, which contains no credentials.
package struct RemoteURL: Sendable, CustomStringConvertible {
    package let url: URL

    /// The URL without a slash at its end.
    package var description: String {
        var text = url.absoluteString
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }

    /// Reads a URL; `nil` if it does not begin with `https://` or `http://`.
    ///
    /// - Throws: A usage error if the URL is malformed, or has a user, a password or a query.
    init?(_ text: String) throws(CommandError) {
        guard ["https://", "http://"].contains(where: text.lowercased().hasPrefix) else { return nil }
        guard let url = URL(string: text), url.host?.isEmpty == false, url.user == nil, url.password == nil,
            url.query == nil, url.fragment == nil
        else {
            // Not shown: it may contain a password.
            throw .usage(
                "The URL of a server is like https://records.example.com, without a user, a password or a query. Credentials belong in "
                    + "CABINET_CREDENTIALS, the name of a file.")
        }
        self.url = url
    }
}
