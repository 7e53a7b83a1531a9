import Cabinet
import CabinetServer
import CabinetWire
import Foundation

/// The frame of all pages: the head, the containers and databases, and the pages of the database that is shown.
struct PageFrame {
    let stores: [Dashboard.Store]
    let formToken: String
    let address: RequestTarget

    private static let pages: [(name: String?, title: String)] = [
        (nil, "Record types"), ("zones", "Zones"), ("changes", "Changes"), ("schema", "Schema"), ("roles", "Roles"),
        ("subscriptions", "Subscriptions"), ("shares", "Shares"), ("import", "Import"), ("health", "Health"),
    ]
    /// The pages of a store that the dashboard has opened itself.
    private static let pagesOfStore: [(name: String?, title: String)] = [
        ("users", "Users"), ("keys", "Keys"),
    ]

    func response(_ page: Page, _ status: HTTPResponse.Status = .ok, _ place: Place? = nil) throws -> HTTPResponse {
        let trail = page.trail.map { part -> HTML in "<li><a href=\"\(part.address)\">\(part.title.shown(60))</a></li>"
        }
        let main: HTML = """
            \(trail.isEmpty ? nil : "<nav aria-label=\"Path\"><ol class=\"trail\">\(trail)</ol></nav>")
            \(page.main)
            """
        return try Self.response(
            title: page.title,
            body: """
                <a class="skip" href="#main">Skip to the content</a>
                <header>
                <a class="brand" href="/dashboard"><img src="/dashboard/style/icon.svg" alt="" width="20" height="20">Cabinet</a>
                \(place.map(choice))\(place.map(userChoice))
                <form class="end" method="post" action="/dashboard/sign-out"><input type="hidden" name="token" value="\(formToken)">\
                <a href="/dashboard/requests">Requests</a> <button class="link">Sign out</button></form>
                </header>
                \(place.flatMap { place in place.user.map { actor($0, place) } })\(place.map(navigation))
                \(PageEvents.main(main, events: page.events, script: "/dashboard/style/dashboard.js"))
                """, status)
    }

    /// The choice of a container and a database, and of the user to act as.
    private func choice(_ place: Place) -> HTML {
        let containers = stores.map { store -> HTML in
            let other = Place(container: store.identifier, environment: store.environment, scope: place.scope)
            let isShown = store.identifier == place.container && store.environment == place.environment
            return """
                <a href="\(other.link())"\(Self.current(isShown))>\(store.title.shown(60)) \
                <small>\(store.environment)</small></a>
                """
        }
        let databases = Place.scopes.map { name, scope -> HTML in
            let other = Place(
                container: place.container, environment: place.environment, scope: scope, user: place.user)
            return "<a href=\"\(other.link())\"\(Self.current(scope == place.scope))>\(name.capitalized)</a>"
        }
        return
            "<nav aria-label=\"Container\" class=\"choice\">\(containers)</nav><nav aria-label=\"Database\" class=\"tabs\">\(databases)</nav>"
    }

    /// The form that chooses the user to act as.
    private func userChoice(_ place: Place) -> HTML {
        """
        <details class="act"><summary class="button">Act as</summary><form method="get" action="/dashboard/act">\
        <input type="hidden" name="container" value="\(place.container)"><input type="hidden" name="environment" value="\(place.environment)">\
        <label>Record name of the user <input name="user" value="\(place.user ?? "")" spellcheck="false" autocomplete="off"></label> \
        <button>Act as</button></form></details>
        """
    }

    /// The attribute of the link to what is shown.
    private static func current(_ isShown: Bool) -> HTML { isShown ? " aria-current=\"page\"" : .empty }

    /// The mark of pages on which the person acts as another user.
    private func actor(_ user: String, _ place: Place) -> HTML {
        let own = Place(container: place.container, environment: place.environment, scope: place.scope)
        return """
            <p class="actor">You act as <strong>\(user.shown(60))</strong>. Records that you save are this user's. \
            <a href="\(own.link())">Act as yourself</a></p>
            """
    }

    private func navigation(_ place: Place) -> HTML {
        let shown = address.path.count > 3 ? address.path[3] : nil
        let store = stores.first { $0.identifier == place.container && $0.environment == place.environment }
        let links = (Self.pages + (store?.storage == nil ? [] : Self.pagesOfStore)).map { page -> HTML in
            let isShown =
                page.name == shown || page.name == nil && ["records", "record", "new", "type"].contains(shown)
            return "<a href=\"\(place.link(page.name))\"\(Self.current(isShown))>\(page.title)</a>"
        }
        return "<nav aria-label=\"Pages\" class=\"pages\">\(links)</nav>"
    }

    /// Returns a whole page.
    static func response(title: String, body: HTML, _ status: HTTPResponse.Status) throws -> HTTPResponse {
        try HTMLDocument(
            title: "\(title.shown(80)) – Cabinet", stylesheet: "/dashboard/style/dashboard.css",
            icon: "/dashboard/style/icon.svg", body: body
        ).response(status)
    }
}

/// The page of an error.
enum ErrorPage {
    static func response(_ error: HTTPError) -> HTTPResponse {
        let body: HTML = """
            <main id="main" class="narrow"><h1>\(title(error.status))</h1><pre class="message" role="alert">\(error.message.shown(4_000))</pre>
            <p><a href="/dashboard">Dashboard</a></p></main>
            """
        return (try? PageFrame.response(title: title(error.status), body: body, error.status))
            ?? HTTPResponse(reporting: error)
    }

    /// The page of an error within the frame.
    static func page(_ error: CabinetError, _ place: Place) -> Answer {
        let status = error.code.status
        let page = Page(
            title: title(status),
            main: """
                <h1>\(title(status))</h1><pre class="message" role="alert">\(error.shownMessage.shown(4_000))</pre>
                <p class="none">Error code: \(error.code.description)</p>
                """,
            trail: [("Record types", place.link())])
        return .page(page, status)
    }

    private static func title(_ status: HTTPResponse.Status) -> String {
        switch status {
        case .notFound: "Not found"
        case .unauthorized: "Sign in"
        case .forbidden: "Not permitted"
        case .conflict: "Changed by another"
        case .serviceUnavailable: "Not now"
        case .internalServerError: "Failed"
        default: "Refused"
        }
    }
}

extension CabinetError.Code {
    /// The status of the page that shows an error.
    var status: HTTPResponse.Status {
        switch self {
        case .unknownItem, .zoneNotFound, .badContainer, .assetFileNotFound: .notFound
        case .permissionFailure, .notAuthenticated: .forbidden
        case .serverRecordChanged: .conflict
        case .serviceUnavailable, .zoneBusy, .requestRateLimited, .operationCancelled, .networkUnavailable,
            .networkFailure, .serverResponseLost, .accountTemporarilyUnavailable:
            .serviceUnavailable
        case .quotaExceeded: HTTPResponse.Status(code: 507) ?? .serviceUnavailable
        case .internalError: .internalServerError
        default: .badRequest
        }
    }
}

/// The page that signs a person in.
enum SignInForm {
    static func response(code: String) throws -> HTTPResponse {
        try PageFrame.response(
            title: "Sign in",
            body: """
                <main id="main" class="narrow"><h1>Dashboard</h1>
                <form method="post" action="/dashboard/sign-in"><input type="hidden" name="code" value="\(code)">
                <p>This address signs you in once.</p><button class="main" autofocus>Open the dashboard</button></form></main>
                """, .ok)
    }
}
