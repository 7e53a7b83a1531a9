/// The statements that Cabinet sends for a save, as a script of `pgbench`.
///
/// They are those of the server's log (`log_statement = all`), in the same round trips. Only the values differ that a save computes
/// from the answers. So the script changes nothing that Cabinet reads.
enum SaveStatements {
    /// Returns the script, which saves a record in one of some databases.
    ///
    /// - Parameters:
    ///   - schema: The schema of the container.
    ///   - number: The number of the database, as an expression of `pgbench`.
    static func script(in schema: String, database number: String) -> String {
        """
        \\set database \(number)
        \\set record random(1, 1000000000000000)
        \\startpipeline
        BEGIN ISOLATION LEVEL READ COMMITTED;
        SELECT schema, "lastZone", "hasDeletions", writes, writers, \
        '0/' || coalesce(pg_relation_filenode(tableoid), tableoid)::text \
        FROM \(schema).cabinet_state WHERE database = :database AND name <> '' FOR UPDATE;
        SELECT \(system), t."name", t."number", 1::bigint, 0::bigint FROM \(schema)."Items" AS t \
        WHERE "___database" = :database AND "___zone" = 1 AND "___recordID" = :record;
        SELECT w.number, NULL::text COLLATE "C", e.value \
        FROM unnest('{database,\(zone)}'::text[]) WITH ORDINALITY AS w(key, number) CROSS JOIN LATERAL (\
        SELECT value FROM \(schema).cabinet_entry WHERE database = :database AND key = w.key COLLATE "C" OFFSET 0) AS e \
        UNION ALL SELECT -w.number, e.key, e.value \
        FROM unnest('{schema/}'::text[], '{subscription0}'::text[]) WITH ORDINALITY AS w(first, last, number) \
        CROSS JOIN LATERAL (SELECT key, value FROM \(schema).cabinet_entry WHERE database = :database \
        AND key >= w.first COLLATE "C" AND key < w.last COLLATE "C" OFFSET 0) AS e ORDER BY 2;
        \\endpipeline
        \\startpipeline
        INSERT INTO \(schema)."Items" ("___database", "___zone", "___recordID", "___etag", "___insertion", "___createTime", \
        "___createdBy", "___modTime", "___modifiedBy", "___parent", "name", "number") \
        VALUES (:database, 1, :record, :record, :record, 817115704.2743353, '_default_user', 817115704.2743353, \
        '_default_user', NULL, 'Item 0', 0);
        WITH entries AS (INSERT INTO \(schema).cabinet_entry (database, key, value) \
        VALUES (:database, 'benchmark', '0 2 1650808582097248339 1 1795422894.332082/5/16427'), \
        (:database, 'benchmark/zone/__defaultOwner__/_defaultZone', '0 2 0 ') \
        ON CONFLICT (database, key) DO UPDATE SET value = excluded.value) \
        UPDATE \(schema).cabinet_state SET schema = schema, "lastZone" = "lastZone", "hasDeletions" = "hasDeletions", \
        writes = writes + 1, writers = writers WHERE database = :database;
        COMMIT;
        \\endpipeline
        """
    }

    private static let zone = "database/zone/__defaultOwner__/_defaultZone"
    private static let system =
        #"t."___etag", t."___createTime", t."___createdBy", t."___modTime", t."___modifiedBy", t."___parent", t."___insertion""#
}
