import Cabinet
import CabinetServer

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
        let status = error.code.pageStatus
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
    var pageStatus: HTTPResponse.Status {
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
