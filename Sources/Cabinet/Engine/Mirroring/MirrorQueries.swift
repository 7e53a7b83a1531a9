package import Foundation

/// The state of a mirror's queries for the records of the public database, which has no change tokens in CloudKit: one entry.
package struct MirrorQueries: Sendable, Hashable {
    /// The states of the queries, by record type.
    package var queries: [Query] = []

    /// The date at which the server was last asked for each local record; `nil` to ask again.
    package var checked: Date?

    /// The position after the last notification that was read; `nil` before the first one, or if the server stores none.
    var place: NotificationPosition?

    /// The state of the query for the records of one type.
    package struct Query: Sendable, Hashable {
        /// The record type.
        package var recordType = ""

        /// The condition of the records, as text.
        package var filter = ""

        /// The latest modification date of the fetched records; `nil` before the first page.
        package var newest: Date?

        /// Whether all records that match were fetched once; from then on, those that have changed are.
        package var isComplete = false

        /// Creates the state before the first fetch.
        package init() {}
    }

    /// Creates the state before the first fetch.
    package init() {}

    /// The key of the entry.
    package static let key = StorageKey("mirror", "queries")
}

extension MirrorQueries: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("queries", &queries)
        try coder.part("checked", &checked)
        try coder.part("place", &place)
    }
}

extension MirrorQueries.Query: CodedObject {
    mutating func code(with coder: inout some ObjectCoder) throws(CabinetError) {
        try coder.part("recordType", &recordType)
        try coder.part("filter", &filter)
        try coder.part("newest", &newest)
        try coder.part("isComplete", &isComplete)
    }
}

/// The notifications about deleted records, which a query does not find.
extension MirrorQueries {
    /// Whether notifications were read before.
    package var hasPlace: Bool { place != nil }

    /// The request for the notifications that were not read.
    package var notificationRequest: FetchNotificationsRequest {
        FetchNotificationsRequest(scope: .public, since: place, includesOwnChanges: true)
    }

    /// Takes in a page of notifications; `nil` if the server stores none, or has forgotten those after the position.
    package mutating func read(_ page: FetchNotificationsRequest.Response?) { place = page?.position }
}
