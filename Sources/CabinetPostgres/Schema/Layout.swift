import Cabinet
import SQLSupport

/// The tables that every container has in PostgreSQL, in a schema of its own.
///
/// ```text
/// "Items"                  one table for each record type, under its name: a row for each record of any database
///   "___database"          the number of the record's database, the first column of every key and index
///   "___zone"              its zone's number in that database; 1 is the default zone
///   "___recordID" …        the metadata of every record; with the two above it is the primary key
///   "name", "number" …     a column for each field, under its name
/// cabinet_layout           the version of these tables
/// cabinet_record_type      which table holds which record type
/// cabinet_column           which column holds which field, by type
/// cabinet_schema           the schemas of the databases; a row never changes
/// cabinet_database         the numbers of the databases, by name; a row never changes
/// cabinet_state            the state of each database: its schema, the number of its writes, and who committed the last ones
/// cabinet_entry            what the core stores about a database, as texts under keys: its last sequence number, its zones and
///                          their changes, its timelines, subscriptions and notifications
/// cabinet_zone             the numbers of the zones that have, or had, records, until they are deleted
/// cabinet_deletion         the tombstones of deleted records
/// cabinet_list_reference   the references with a delete rule in lists, by target
/// cabinet_asset            the assets, each with the name of its bytes
/// cabinet_asset_part       the bytes of assets and of uploads under way, at most a megabyte in a row
/// cabinet_upload           the uploads under way, each with the time of its last bytes
/// cabinet_asset_use        which records have which assets
/// ```
///
/// Millions of private databases share these tables. Every key and every index begins with the number of the database, so that
/// the tables can be partitioned by it, or distributed over servers. On Citus they are: see ``distributed``.
///
/// Databases share tables, not schemas. A field can be text in one database and a number in another, and then has two columns,
/// `"number"` and `"number$2"`. The row of a database in `cabinet_state` refers to a row of `cabinet_schema`, which lists
/// the database's fields. These rows never change, and nearly all private databases have the same one, so a process reads each
/// one once.
///
/// Text is `COLLATE "C"`, whose order is that of Unicode's scalars, and is encoded by `StoredText`. Numbers and bytes are
/// stored unchanged. `TIMESTAMP` is seconds since 2001 began in UTC, as a `double precision`, which preserves the `Date`
/// exactly: `to_timestamp("dueDate" + 978307200)` displays it.
///
/// `REFERENCE` is the target's record name, so that a join is simply `"Items" JOIN "Lists" ON "Items"."list" =
/// "Lists"."___recordID"`. Its action is in a second column, `"list.action"`. Lists are arrays; a list of references has two of
/// equal length, for names and actions.
///
/// `LOCATION` is an array of eight numbers: latitude, longitude, altitude, horizontal and vertical accuracy, course, speed, and
/// the timestamp. A list of locations is one array, with eight numbers for each. `ASSET` is a checksum, a colon, and a number
/// of bytes.
enum Layout {
    /// The version of the layout.
    static let version: Int64 = 4

    /// The oldest layout that is read, which the first write of a process replaces.
    ///
    /// In layout 3, words have no positions and no marks.
    static let oldestVersion: Int64 = 3

    /// The number of the default zone, in every database.
    static let defaultZone: Int64 = 1

    /// The largest number of columns of a table in PostgreSQL.
    static let maximumColumns = 1600

    /// The number of elements in the array of a location.
    static let locationLength = 8

    /// The columns of every record type's table, before those of its fields.
    ///
    /// No field's name begins with an underscore. `"___words"` holds the words of the searchable fields: see ``SearchWords``.
    static let systemColumns = """
        "___database" bigint NOT NULL,
        "___etag" bigint NOT NULL,
        "___insertion" bigint NOT NULL,
        "___createTime" double precision NOT NULL,
        "___modTime" double precision NOT NULL,
        "___zone" integer NOT NULL,
        "___recordID" text COLLATE "C" NOT NULL,
        "___createdBy" text COLLATE "C" NOT NULL,
        "___modifiedBy" text COLLATE "C" NOT NULL,
        "___parent" text COLLATE "C",
        "___words" tsvector,
        PRIMARY KEY ("___database", "___zone", "___recordID")
        """

    /// The names of the columns in ``systemColumns``.
    static let systemColumnNames = SQLColumn.allSystemNames + ["___database", "___words"]

    /// The number of columns in ``systemColumns``.
    static let systemColumnCount = systemColumnNames.count

    /// Returns the type of a field's column.
    static func sqlType(of type: FieldType) -> String {
        switch type.scalar {
        case .string, .reference, .asset: "\(plainType(of: type)) COLLATE \"C\""
        case .int64, .double, .timestamp, .bytes, .location: plainType(of: type)
        }
    }

    /// Returns the type of a field's column without its collation, for casts.
    static func plainType(of type: FieldType) -> String {
        if type.isList { return arrayType(of: type) }
        return switch type.scalar {
        case .string, .reference, .asset: "text"
        case .int64: "bigint"
        case .double, .timestamp: "double precision"
        case .bytes: "bytea"
        case .location: "double precision[]"
        }
    }

    /// Returns the type of the column with the actions of references.
    static func actionType(of type: FieldType) -> String { type.isList ? "smallint[]" : "smallint" }

    /// Returns the type of a list's column, for casts.
    static func arrayType(of type: FieldType) -> String {
        switch type.scalar {
        case .string, .reference, .asset: "text[]"
        case .int64: "bigint[]"
        case .double, .timestamp, .location: "double precision[]"
        case .bytes: "bytea[]"
        }
    }
}
