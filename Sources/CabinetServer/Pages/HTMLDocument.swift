import Foundation

/// A whole page for a browser, whose style and icon are files of the server.
///
/// ```swift
/// let page = HTMLDocument(
///     title: "Notes", stylesheet: "/style.css",
///     body: "<main><h1>Notes</h1></main>")
/// return try page.response()
/// ```
public struct HTMLDocument: Sendable {
    private let title: String
    private let stylesheet: String
    private let icon: String?
    private let body: HTML

    /// Creates a page.
    ///
    /// - Parameters:
    ///   - title: The title in the browser's window.
    ///   - stylesheet: The path of the style.
    ///   - icon: The path of the icon; `nil` for none.
    ///   - body: The elements of the page.
    public init(title: String, stylesheet: String, icon: String? = nil, body: HTML) {
        self.title = title
        self.stylesheet = stylesheet
        self.icon = icon
        self.body = body
    }

    /// The page as markup.
    public var html: HTML {
        let icon = icon.map { "<link rel=\"icon\" href=\"\($0)\">\n" as HTML }
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            \(icon)<link rel="stylesheet" href="\(stylesheet)">
            </head>
            <body>
            \(body)
            </body>
            </html>

            """
    }

    /// Returns an answer with the page.
    ///
    /// - Parameter status: The status.
    /// - Throws: Nothing that a page could cause.
    public func response(_ status: HTTPResponse.Status = .ok) throws -> HTTPResponse {
        try HTTPResponse(status, contentType: "text/html; charset=utf-8", body: HTTPBody(Data(html.bytes)))
    }
}

extension HTTPResponse {
    /// Returns an answer after which the browser reads another page, also after a form.
    ///
    /// - Parameter address: The path of the other page, or its whole address.
    /// - Throws: ``HTTPError`` if the address has a character that no field may have.
    public static func redirect(to address: String) throws -> HTTPResponse {
        var response = HTTPResponse(.seeOther)
        try response.headerFields.set(.location, to: address)
        return response
    }
}
