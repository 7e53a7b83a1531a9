import Cabinet
import SQLSupport

/// The tables that every file has, and the header values that identify Cabinet's files.
///
/// ```text
/// "Items"                  one table for each record type, under its name: a row for each record
///   "___insertion"         the record's insertion number, which is the row's number
///   "___recordID" …        what else Cabinet keeps about every record
///   "name", "number" …     a column for each field, under its name
/// cabinet_record_type      which table holds which record type
/// cabinet_field            which column holds which field, and its type
/// cabinet_zone             the zones' numbers; "___zone" refers to it
/// cabinet_deletion         the deleted records, for the change feed
/// cabinet_record           which table and row holds which record, by ID: the only index of record names
/// cabinet_list_reference   the references with a delete rule in lists, by target
/// cabinet_entry            the core's entries: zones, subscriptions, notifications, the last number of a change
/// cabinet_index            the indexes of the schema
/// cabinet_asset            the stored assets, whose bytes are separate files
/// cabinet_list_asset       the assets in lists of rows
/// cabinet_abandoned_asset  the deleted assets that may still have a file
/// cabinet_search_Items.words      the words of the searchable fields of "Items", and marks; rowid is "___insertion"
/// cabinet_search_Items.at.places  the locations in the field "at" of "Items"; id is "___insertion"
/// ```
///
/// Rows are in the order of their insertion, and so are rows with equal keys in an index. Each record type's table has an index on
/// zone and sequence number (`"___etag"`), for changes. It omits the rows that have not changed since their insertion, because
/// the table has these in order. The first record outside of the default zone adds an index on zone, for changes and queries
/// without sort keys.
///
/// Text, numbers and bytes are stored unchanged. `TIMESTAMP` is the number of seconds since 2001 began in UTC, which
/// the shell shows with `datetime("dueDate" + 978307200, 'unixepoch')`. `REFERENCE` is the target's record name, for
/// joins such as `"Items" JOIN "Lists" ON "Items"."list" = "Lists"."___recordID"`, and its action is in the column
/// `"list.action"`. `ASSET` is the checksum and the number of bytes. Lists and locations are JSON.
enum Layout {
    /// "Cbnt", which identifies Cabinet's files in the header.
    static let applicationID: Int64 = 0x4362_6E74

    /// The version of the layout, in the file's header.
    static let version: Int64 = 9

    /// The oldest layout that is read, which the first write replaces.
    ///
    /// Layouts 1 to 6 were those of development versions. They are not read.
    static let oldestVersion: Int64 = 7

    /// The number of the default zone.
    static let defaultZone: Int64 = 1

    /// The largest number of columns in a table of SQLite.
    static let maximumColumns = 2000

    /// Creates the tables of a store in an empty file.
    static let creation = """
        CREATE TABLE cabinet_record_type (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            tableName TEXT NOT NULL
        );
        CREATE TABLE cabinet_field (
            recordType INTEGER NOT NULL REFERENCES cabinet_record_type(id),
            name TEXT NOT NULL,
            type TEXT NOT NULL,
            columnName TEXT NOT NULL,
            PRIMARY KEY (recordType, name)
        );
        CREATE TABLE cabinet_zone (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            zoneName TEXT NOT NULL,
            ownerName TEXT NOT NULL,
            UNIQUE (zoneName, ownerName)
        );
        INSERT INTO cabinet_zone VALUES (\(defaultZone), '_defaultZone', '__defaultOwner__');
        CREATE TABLE cabinet_record (
            zone INTEGER NOT NULL REFERENCES cabinet_zone(id),
            recordName TEXT NOT NULL,
            type INTEGER NOT NULL REFERENCES cabinet_record_type(id),
            row INTEGER NOT NULL,
            PRIMARY KEY (zone, recordName)
        ) WITHOUT ROWID;
        CREATE TABLE cabinet_list_reference (
            target TEXT NOT NULL,
            zone INTEGER NOT NULL REFERENCES cabinet_zone(id),
            type INTEGER NOT NULL REFERENCES cabinet_record_type(id),
            row INTEGER NOT NULL,
            field TEXT NOT NULL,
            action INTEGER NOT NULL
        );
        CREATE INDEX cabinet_list_reference_target ON cabinet_list_reference(target, zone);
        CREATE INDEX cabinet_list_reference_source ON cabinet_list_reference(type, row);
        CREATE TABLE cabinet_deletion (
            zone INTEGER NOT NULL REFERENCES cabinet_zone(id),
            sequence INTEGER NOT NULL,
            recordName TEXT NOT NULL,
            type INTEGER NOT NULL REFERENCES cabinet_record_type(id),
            date REAL NOT NULL,
            PRIMARY KEY (zone, sequence)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX cabinet_deletion_record ON cabinet_deletion(recordName, zone);
        CREATE TABLE cabinet_index (
            recordType INTEGER NOT NULL REFERENCES cabinet_record_type(id),
            kind TEXT NOT NULL,
            fields TEXT NOT NULL,
            PRIMARY KEY (recordType, kind, fields)
        ) WITHOUT ROWID;
        CREATE TABLE cabinet_entry (
            key TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) WITHOUT ROWID;
        \(assetTables)
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// The stored assets, and their uses in lists of rows.
    ///
    /// Numbers of deleted assets are never reused, so that a higher number means a later deletion.
    private static let assetTables = """
        CREATE TABLE cabinet_asset (checksum TEXT PRIMARY KEY, size INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE cabinet_list_asset (
            checksum TEXT NOT NULL,
            type INTEGER NOT NULL REFERENCES cabinet_record_type(id),
            row INTEGER NOT NULL,
            PRIMARY KEY (checksum, type, row)
        ) WITHOUT ROWID;
        CREATE INDEX cabinet_list_asset_source ON cabinet_list_asset(type, row);
        CREATE TABLE cabinet_abandoned_asset (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            checksum TEXT NOT NULL UNIQUE
        );
        """

    /// The columns of every record type's table, besides those of its fields.
    ///
    /// They come after the fields with small values that the table was created with. No field's name begins with an
    /// underscore.
    static let systemColumns = """
        "___insertion" INTEGER PRIMARY KEY,
        "___recordID" TEXT NOT NULL,
        "___zone" INTEGER NOT NULL REFERENCES cabinet_zone(id),
        "___etag" INTEGER NOT NULL,
        "___createTime" REAL NOT NULL,
        "___createdBy" TEXT NOT NULL,
        "___modTime" REAL NOT NULL,
        "___modifiedBy" TEXT NOT NULL,
        "___parent" TEXT
        """

    /// The number of columns in ``systemColumns``.
    static let systemColumnCount = SQLColumn.allSystemNames.count
}
