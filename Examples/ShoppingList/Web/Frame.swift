import CabinetServer

/// The common parts of all pages.
struct Frame {
    let title: String
    let main: HTML
    /// The address of the events after which the page is read again; `nil` for a page that stays.
    var events: String?

    /// Returns the whole page.
    func response(_ status: HTTPResponse.Status = .ok) throws -> HTTPResponse {
        let events = events.map { " data-events=\"\($0)\"" as HTML }
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <link rel="icon" href="/icon.svg">
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <main id="main"\(events)>
            \(main)
            </main>
            <p id="news" role="status" hidden>This page has changed. <a href="">Show the changes</a></p>
            <script src="/script.js" defer></script>
            </body>
            </html>

            """
        return try HTTPResponse(status, contentType: "text/html; charset=utf-8", body: HTTPBody(page.text))
    }
}

/// The page that says why something failed.
struct ErrorPage {
    private let error: HTTPError

    init(reporting error: any Error) {
        let failure = (error as? ShoppingError).map { HTTPError(.badRequest, "\($0)") }
        self.error = error as? HTTPError ?? failure ?? HTTPError(.internalServerError, "The program failed.")
    }

    var response: HTTPResponse {
        get throws {
            let main: HTML = """
                <h1>Sorry</h1><p class="failure" role="alert">\(error.message)</p><p><a href="/">All lists</a></p>
                """
            return try Frame(title: "Sorry", main: main).response(error.status)
        }
    }
}
