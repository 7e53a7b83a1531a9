import CabinetServer

/// The files that all pages have: their style, their script and their icon.
enum StyleFile {
    static func response(to request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        let (type, text): (String, String)
        switch path.dropFirst() {
        case ["dashboard.css"]: (type, text) = ("text/css; charset=utf-8", Stylesheet.text)
        case ["dashboard.js"]: (type, text) = ("text/javascript; charset=utf-8", Script.text)
        case ["icon.svg"]: (type, text) = ("image/svg+xml", icon)
        default: throw HTTPError(.notFound, "Nothing has this address.")
        }
        var response = try HTTPResponse(contentType: type, body: HTTPBody(text))
        try response.headerFields.set(.cacheControl, to: "private, max-age=300")
        return response
    }

    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="4" y="3" width="24" height="26" rx="4" fill="#2f5bd7"/>\
        <path d="M4 12h24M4 20h24" stroke="#fff" stroke-width="2"/><path d="M13 7.5h6M13 16h6M13 24.5h6" stroke="#fff" stroke-width="2" \
        stroke-linecap="round"/></svg>
        """
}
