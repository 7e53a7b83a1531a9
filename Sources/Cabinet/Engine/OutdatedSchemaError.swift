/// A request that depends on a part of the schema which the database may have lost since the schema was read.
///
/// The request has changed nothing. The service reads the schema, and repeats the request.
struct OutdatedSchemaError: Error {}
