/// Texts in the schema language, written for the tests in the style of exported schemas.
enum SchemaSamples {
    static let empty = "DEFINE SCHEMA\n"

    /// A coin collection before and after it grew.
    static let coins = """
        DEFINE SCHEMA

            RECORD TYPE Coin (
                "___createTime" TIMESTAMP,
                "___recordID"   REFERENCE QUERYABLE,
                name            STRING QUERYABLE SEARCHABLE,
                country         STRING QUERYABLE SORTABLE,
                year            INT64 QUERYABLE,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );

            RECORD TYPE Users (
                "___createTime" TIMESTAMP,
                roles           LIST<INT64>,
                GRANT WRITE TO "_creator",
                GRANT READ TO "_world"
            );

        """

    static let moreCoins = """
        DEFINE SCHEMA

            RECORD TYPE Coin (
                "___createTime" TIMESTAMP,
                "___recordID"   REFERENCE QUERYABLE,
                name            STRING QUERYABLE SEARCHABLE,
                country         STRING QUERYABLE,
                year            INT64 QUERYABLE SORTABLE,
                picture         ASSET,
                series          REFERENCE QUERYABLE,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );

            RECORD TYPE Series (
                "___recordID" REFERENCE QUERYABLE,
                title         STRING QUERYABLE SORTABLE SEARCHABLE,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );

            RECORD TYPE Users (
                "___createTime" TIMESTAMP,
                roles           LIST<INT64>,
                GRANT WRITE TO "_creator",
                GRANT READ TO "_world"
            );

        """

    /// Every construct of CloudKit's grammar, as the printer lays it out.
    static let everything = """
        DEFINE SCHEMA

            CREATE ROLE Editor;

            CREATE ROLE "grant";

            RECORD TYPE "Queryable" (
                "___createTime" TIMESTAMP QUERYABLE SORTABLE,
                "___createdBy"  REFERENCE QUERYABLE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP SORTABLE,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE QUERYABLE,
                asset           ASSET,
                bytes           BYTES QUERYABLE SORTABLE,
                double          DOUBLE QUERYABLE SORTABLE,
                int             INT64 QUERYABLE SORTABLE,
                place           LOCATION QUERYABLE,
                target          REFERENCE QUERYABLE,
                title           STRING QUERYABLE SORTABLE SEARCHABLE,
                due             TIMESTAMP QUERYABLE SORTABLE,
                secret          ENCRYPTED STRING,
                number          NUMBER QUERYABLE,
                whole           NUMBER PREFERRED AS INT64,
                fraction        NUMBER PREFERRED AS DOUBLE,
                tags            LIST<STRING> QUERYABLE,
                secrets         LIST<ENCRYPTED INT64>,
                numbers         LIST<NUMBER PREFERRED AS INT64>,
                "preferred"     STRING,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world",
                GRANT READ, CREATE, WRITE TO Editor,
                GRANT READ TO "grant"
            );

            RECORD TYPE Nothing ();

        """

    /// Cabinet's additions.
    static let additions = """
        // INDEX, UNIQUE, ON DELETE and ___parent are Cabinet's additions, which CloudKit refuses.
        DEFINE SCHEMA

            RECORD TYPE Items (
                "___parent" REFERENCE QUERYABLE,
                name        STRING QUERYABLE UNIQUE,
                list        REFERENCE QUERYABLE ON DELETE DELETE_SELF,
                others      LIST<REFERENCE> ON DELETE DENY,
                index       INT64 UNIQUE,
                UNIQUE (list, index),
                INDEX (list, name, "___modTime")
            );

        """
}
