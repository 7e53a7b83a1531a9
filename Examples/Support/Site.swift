package import CabinetServer
import Foundation

/// The pages of a program: the guard before them, the files that they need, and their frame.
package struct Site: Sendable {
    package let pages: PageGuard
    private let style: String
    private let icon: String

    /// Creates the pages of a program.
    ///
    /// - Parameters:
    ///   - pages: The guard against other sites.
    ///   - style: The style of all pages.
    ///   - icon: Their icon, a picture in SVG.
    package init(_ pages: PageGuard, style: String, icon: String) {
        self.pages = pages
        self.style = style
        self.icon = icon
    }

    /// Answers a request: with a page, or with the reason that there is none.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - home: The name of the first page, to which a failure leads.
    ///   - body: Returns the answer, from the parts of the path.
    package func answer(
        _ request: HTTPRequest, home: String, _ body: ([String]) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        var response: HTTPResponse
        do {
            try pages.check(request)
            let path = request.path.split(separator: "/").map { String($0).removingPercentEncoding ?? "" }
            if let file = try file(request, path) { response = file } else { response = try await body(path) }
        } catch {
            let error = error as? HTTPError ?? HTTPError(.internalServerError, "The program failed.")
            let main: HTML = """
                <h1>Sorry</h1><p class="failure" role="alert">\(error.message)</p><p><a href="/">\(home)</a></p>
                """
            response = try Self.page("Sorry", main).response(error.status)
        }
        pages.protect(&response)
        return response
    }

    private func file(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse? {
        guard request.method == .get, path.count == 1 else { return nil }
        return switch path[0] {
        case "style.css": try HTTPResponse(contentType: "text/css", body: HTTPBody(style))
        case "icon.svg": try HTTPResponse(contentType: "image/svg+xml", body: HTTPBody(icon))
        case "script.js": try HTTPResponse(contentType: "text/javascript", body: HTTPBody(PageEvents.script))
        default: nil
        }
    }

    /// Returns a page.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - main: The main part.
    ///   - events: The address of the events after which the page is read again; `nil` for a page that stays.
    package static func page(_ title: String, _ main: HTML, events: String? = nil) -> HTMLDocument {
        HTMLDocument(
            title: title, stylesheet: "/style.css", icon: "/icon.svg",
            body: PageEvents.main(main, events: events, script: "/script.js"))
    }
}
