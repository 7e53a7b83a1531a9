import Foundation

@testable import Cabinet

/// Values that the samples share.
enum SampleValues {
    static let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
    static let laterDate = Date(timeIntervalSinceReferenceDate: 700_086_400)
    static let uuid = UUID(uuid: (0, 17, 34, 51, 68, 85, 70, 119, 136, 153, 170, 187, 204, 221, 238, 255))
    static let otherUUID = UUID(uuid: (255, 238, 221, 204, 187, 170, 73, 153, 136, 119, 102, 85, 68, 51, 34, 17))

    static let zone = RecordZone.ID(zoneName: "Shops")
    static let foreignZone = RecordZone.ID(zoneName: "Shops", ownerName: "_ben")
    static let milk = RecordID(recordName: "milk")
    static let bread = RecordID(recordName: "bread", zoneID: zone)
    /// A name with everything that a text can have: an escape, a control character, and more than 16 bits.
    static let odd = RecordID(recordName: "\u{1}\"\\/\n\u{7F}ä\u{65}\u{301}\u{1F600}", zoneID: foreignZone)

    static let asset = StoredAsset(checksum: Asset.Checksum(of: Data("milk".utf8)), size: 4)
    static let otherAsset = StoredAsset(checksum: Asset.Checksum(of: Data()), size: 0)

    static let place = Location(latitude: 52.5, longitude: -13.25)
    static let wholePlace = Location(
        latitude: -90, longitude: 180, altitude: 34.5, horizontalAccuracy: 5, verticalAccuracy: 0.1, course: 359.5,
        speed: 1.5, timestamp: date)

    static let references = Reference.Action.allCases.map { Reference(recordID: bread, action: $0) }

    /// A value of each kind, with the values at the limits of the kind.
    static let fields: [(String, FieldValue?)] = [
        ("text", .string("Milk")), ("emptyText", .string("")), ("oddText", .string(odd.recordName)),
        ("int", .int64(-42)), ("smallest", .int64(.min)), ("greatest", .int64(.max)),
        ("double", .double(0.1)), ("wholeDouble", .double(3)), ("negativeZero", .double(-0.0)),
        ("greatestDouble", .double(.greatestFiniteMagnitude)), ("leastDouble", .double(.leastNonzeroMagnitude)),
        ("notANumber", .double(.nan)), ("infinity", .double(.infinity)), ("negativeInfinity", .double(-.infinity)),
        ("date", .timestamp(date)), ("distantDate", .timestamp(.distantPast)),
        ("bytes", .bytes(Data([0, 127, 128, 255]))), ("noBytes", .bytes(Data())),
        ("reference", .reference(references[0])), ("deletingReference", .reference(references[1])),
        ("nullifyingReference", .reference(references[2])), ("denyingReference", .reference(references[3])),
        ("nearReference", .reference(Reference(recordID: milk, action: .none))),
        ("location", .location(place)), ("wholeLocation", .location(wholePlace)),
        ("asset", .asset(Asset(asset))),
        ("texts", .list(.string(["a", "", odd.recordName]))), ("noTexts", .list(.string([]))),
        ("ints", .list(.int64([.min, 0, .max]))),
        ("doubles", .list(.double([0.5, -2, .nan, .infinity, -.infinity, 1e300]))),
        ("dates", .list(.timestamp([date, laterDate]))), ("manyBytes", .list(.bytes([Data(), Data([255])]))),
        ("references", .list(.reference(references))), ("locations", .list(.location([place, wholePlace]))),
        ("assets", .list(.asset([Asset(asset), Asset(otherAsset)]))), ("nothing", nil),
    ]

    /// Encrypted values, which no filter has.
    static let encryptedFields: [(String, FieldValue?)] = [
        ("secret", FieldType.encryptedString), ("secrets", FieldType.list(of: .int64).encrypted ?? .encryptedInt64),
    ].map { key, type in (key, EncryptedValue(type, ciphertext: Data([1, 0, 255])).map { .encrypted($0) }) }

    static let allFields = FieldValues(
        names: FieldNames((fields + encryptedFields).map(\.0)), values: (fields + encryptedFields).map(\.1))

    /// A record of a store, with everything.
    static let stored = record(bread, number: 7, insertionNumber: 3, parent: "shop", allFields)
    /// A record of a store that was saved once, fetched with one of its fields.
    static let partial = record(
        milk, number: 9, FieldValues(names: FieldNames(["name"]), values: [.string("Milk")], isComplete: false))

    /// A record of another server, which has a change tag of its own.
    static let foreign = Record(
        header: Record.Header(
            recordType: "Items", recordID: odd, recordChangeTag: "tag-1", creationDate: date,
            creatorUserRecordID: RecordID(recordName: "_ann"), modificationDate: laterDate,
            lastModifiedUserRecordID: RecordID(recordName: "_ben"),
            parent: Reference(recordID: RecordID(recordName: "shop", zoneID: foreignZone), action: .none)),
        fields: FieldValues(names: FieldNames(["name", "gone"]), values: [.string("Tea"), nil]), fetched: nil)

    static func record(
        _ id: RecordID, number: Int64, insertionNumber: Int64? = nil, parent: String? = nil, _ fields: FieldValues
    ) -> Record {
        Record(
            StoredRecord(
                recordID: id, recordType: "Items", sequenceNumber: number, insertionNumber: insertionNumber,
                creationDate: date, creatorName: "_ann", modificationDate: laterDate, lastModifierName: "_ben",
                parentName: parent, fields: fields))
    }

    static let position = FeedPosition(
        number: 12, tombstoneHorizon: 10, end: TimelinePoint(number: 15, timeline: 77), readAccess: "3f2a")
    static let sharedPosition = FeedPosition(
        number: 2, tombstoneHorizon: 2, end: TimelinePoint(number: 2), zoneNumbers: [1: 40, 2: 7])
    static let firstPosition = FeedPosition(number: 0, tombstoneHorizon: 0, end: TimelinePoint(number: 0))

    static let basis = LiveBasis(
        end: TimelinePoint(number: 15, timeline: -1), fields: ["name": .string, "tags": .list(of: .string)],
        searchable: ["name"], readAccess: "3f2a")

    static let filter =
        Filter.and([
            .field("name") == "it's \"Milk\"", .or([.field("number") > 1.5, .not(.field("done") == true)]),
            .field("date") < date, .field("address.@string.city") == "Rome",
            .field("list") == Reference(recordID: milk, action: .none),
        ])

    static let reads = TransactionReads(
        end: TimelinePoint(number: 15, timeline: -1),
        records: [
            ReadRecord(recordID: milk, changeTag: "7-1abc"), ReadRecord(recordID: odd, changeTag: nil),
            ReadRecord(recordID: bread, changeTag: ""),
        ],
        queries: [
            ReadQuery(query: query, zoneID: foreignZone),
            ReadQuery(query: Query(recordType: "Items"), zoneID: nil),
            ReadQuery(
                query: Query(recordType: "Items", filter: .search("\"big anvil\" rop"), sortedBy: .relevance),
                zoneID: nil),
        ])

    static let query = Query(
        recordType: "Items", filter: filter,
        sortedBy: [
            Sort("name", options: [.caseInsensitive, .numeric]), .descending("number"),
            Sort("location", distanceFrom: place, ascending: false),
        ])

    /// An error with every part but the failures of items.
    static let error: CabinetError = {
        var error = CabinetError(
            .limitExceeded, "The field 'name' is too long.\nShorten it.", recordID: odd, fieldKey: "name",
            underlyingError: CabinetError(
                .zoneBusy, "The store is busy.", underlyingError: CabinetError(.internalError, "A cause.")),
            retryAfterSeconds: 2.5)
        error.isUndeclared = true
        return error
    }()

    static let conflict = CabinetError(
        .serverRecordChanged, "The record has changed.", recordID: bread,
        conflict: RecordConflict(clientRecord: partial, serverRecord: stored, ancestorRecord: foreign))

    static let partialFailure = CabinetError(
        .partialFailure, "Two records failed.",
        partialErrorsByItemID: [bread: conflict, milk: error, odd: CabinetError(.batchRequestFailed, "")])
}
